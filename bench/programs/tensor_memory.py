#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program uses GPU memory in a way that it knows, and prints what it knows as JSON.

    tensor_memory.py train|decode|buckets|leak|full [--seed N]

Sizes are drawn. Lines with "planted" are the ones that a report has to name.

train   a transformer with Adam, of tens of GB. Its peak is made in a known moment: after the last forward pass,
        with one large tensor more. What autograd keeps is known from saved_tensors_hooks.
decode  keys and values of earlier tokens grow token by token.
buckets DistributedDataParallel, alone in its group, keeps buckets for the sums of gradients.
leak    each step keeps a tensor of 1 MiB.
full    tensors of one size with gaps between them: the gaps together would hold what is wanted
        last, and no gap alone does.
"""

import argparse
import json
import os
import random

import torch
import torch.nn.functional as F

MIB = 1 << 20


def blocks():
    """{address: the block} of all tensors, as PyTorch's allocator has them."""
    found = {}
    for segment in torch.cuda.memory._snapshot()["segments"]:
        address = segment["address"]
        for block in segment["blocks"]:
            if block["state"] == "active_allocated":
                found[address] = block
            address += block["size"]
    return found


def held(tensors):
    """What the allocator has given to these tensors. It rounds up. Those that share memory count
    once.
    """
    known = blocks()
    storages = {tensor.untyped_storage().data_ptr() for tensor in tensors
                if tensor is not None and tensor.is_cuda}
    return sum(known[address]["size"] for address in storages)


def driver_bytes():
    """What all processes have of the GPU, as the driver says it."""
    free, whole = torch.cuda.mem_get_info()
    return whole - free


def allocated_from(file):
    """What was allocated by functions of this file, and is not freed, as PyTorch's own history has
    it. Nobody else knows which buckets DistributedDataParallel still has.
    """
    return sum(block["size"] for block in blocks().values()
               if block.get("frames") and block["frames"][0]["filename"].endswith(file))


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)
        self.norm_1, self.norm_2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.register_buffer("scale", torch.ones(width))

    def forward(self, x, cache=None):
        batch, tokens, width = x.shape
        split = self.qkv(self.norm_1(x)).view(batch, tokens, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        if cache is not None:
            key, value = cache.update(key, value)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=tokens > 1)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.down(F.gelu(self.up(self.norm_2(x)))) * self.scale


class KVCache:
    def __init__(self):
        self.key = self.value = None

    def update(self, key, value):
        if self.key is not None:
            key = torch.cat([self.key, key], dim=2)
            value = torch.cat([self.value, value], dim=2)
        self.key, self.value = key.contiguous(), value.contiguous()
        return self.key, self.value


class Net(torch.nn.Module):
    def __init__(self, draw):
        super().__init__()
        self.width = 128 * draw.randint(4, 8)
        self.words = torch.nn.Embedding(512 * draw.randint(4, 16), self.width)
        self.blocks = torch.nn.ModuleList(Block(self.width, 8) for _ in range(draw.randint(3, 6)))
        self.head = torch.nn.Linear(self.width, self.words.num_embeddings)

    def forward(self, words, caches=None):
        x = self.words(words)
        for i, block in enumerate(self.blocks):
            x = block(x, caches[i] if caches else None)
        return self.head(x)


def train(draw):
    model = Net(draw).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    words = torch.randint(model.words.num_embeddings, (draw.randint(400, 600), 257), device="cuda")
    weights = list(model.parameters())
    own = {tensor.untyped_storage().data_ptr() for tensor in [*weights, *model.buffers(), words]}
    kept = {}

    def pack(tensor):
        if tensor.is_cuda and tensor.untyped_storage().data_ptr() not in own:
            kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    spike = None
    steps = draw.randint(4, 9)
    for step in range(steps):
        kept.clear()
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            logits = model(words[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten())
        if step == steps - 1:  # the peak: more than the backward pass of the steps before needed
            most = torch.cuda.max_memory_allocated() - torch.cuda.memory_allocated()
            spike = torch.empty(most + 64 * MIB, dtype=torch.uint8, device="cuda")  # planted spike
            break
        kept.clear()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    state = [value for of_weight in optimizer.state.values() for value in of_weight.values()
             if torch.is_tensor(value)]
    roles = {"weights": held(weights), "buffers": held(model.buffers()),
             "optimizer state": held(state), "activations": held([*kept.values(), logits, loss]),
             "other tensors": held([spike, words])}
    return {"roles": roles, "steps": steps}


def decode(draw):
    model = Net(draw).cuda()
    words = torch.randint(model.words.num_embeddings, (32, 64), device="cuda")
    caches = [KVCache() for _ in model.blocks]
    with torch.no_grad():
        for _ in range(draw.randint(40, 80)):
            words = model(words, caches)[:, -1:].argmax(-1)
    cached = held([tensor for cache in caches for tensor in (cache.key, cache.value)])
    spike = torch.empty(torch.cuda.max_memory_allocated() + 64 * MIB - torch.cuda.memory_allocated(),
                        dtype=torch.uint8, device="cuda")
    return {"roles": {"weights": held(model.parameters()), "buffers": held(model.buffers()),
                      "KV cache": cached, "other tensors": held([spike, words])}}


def buckets(draw):
    torch.cuda.memory._record_memory_history(context="alloc", stacks="python")
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
    torch.distributed.init_process_group("nccl", rank=0, world_size=1)
    model = torch.nn.parallel.DistributedDataParallel(Net(draw).cuda(), device_ids=[0])
    words = torch.randint(model.module.words.num_embeddings, (4, 65), device="cuda")
    for _ in range(draw.randint(3, 6)):
        model.zero_grad(set_to_none=True)
        logits = model(words[:, :-1])
        F.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten()).backward()
    weights = list(model.parameters())
    spike = torch.empty(torch.cuda.max_memory_allocated() + 64 * MIB - torch.cuda.memory_allocated(),
                        dtype=torch.uint8, device="cuda")
    of_buckets = allocated_from("torch/nn/parallel/distributed.py")
    torch.distributed.destroy_process_group()
    return {"roles": {"weights": held(weights), "communication": of_buckets,
                      "other tensors": held([spike, words])}}


def leak(draw):
    model = Net(draw).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    words = torch.randint(model.words.num_embeddings, (2, 65), device="cuda")
    log = []
    for _ in range(20):
        logits = model(words[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        log.append(torch.full((MIB // 4,), loss.item(), device="cuda"))  # planted leak
    return {"leak": MIB}


def full(draw):
    size, count = 2 * MIB * draw.randint(12, 20), 2 * draw.randint(10, 20)
    torch.zeros(1, device="cuda")  # a kernel: without one there is no recording
    segment = torch.empty(count * size, dtype=torch.uint8, device="cuda")
    del segment  # PyTorch keeps it: the tensors are parts of it
    tensors = [torch.empty(size, dtype=torch.uint8, device="cuda") for _ in range(count)]
    whole = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(torch.cuda.memory_reserved() / whole)
    del tensors[1::2]
    unused = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    wanted = 2 * size
    try:
        tensors.append(torch.empty(wanted, dtype=torch.uint8, device="cuda"))  # planted refusal
        refused = False
    except torch.OutOfMemoryError:
        refused = True
    return {"wanted": wanted, "refused": refused, "unused": unused}


CASES = {"train": train, "decode": decode, "buckets": buckets, "leak": leak, "full": full}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    torch.cuda.init()
    before = driver_bytes()  # the context is there, and nothing is allocated
    torch.manual_seed(arguments.seed)
    knows = CASES[arguments.case](random.Random(arguments.seed))
    torch.cuda.synchronize()
    print("[knows] " + json.dumps({
        **knows, "peak": torch.cuda.max_memory_allocated(), "live": torch.cuda.memory_allocated(),
        "reserved": torch.cuda.memory_reserved(), "driver": driver_bytes() - before}), flush=True)
    os._exit(0)  # with all that it has


if __name__ == "__main__":
    main()
