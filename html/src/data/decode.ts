// SPDX-License-Identifier: Apache-2.0
// Bytes of the page to numbers: base64, deflate, varints (lib/html/column.h).

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as {fromBase64?: (text: string) => Uint8Array<ArrayBuffer>}).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads varints, one after the other. Values beyond 2^31 need multiplication: shifts are 32 bits.
export class Reader {
  private at: number;
  constructor(
    private readonly bytes: Uint8Array,
    begin: number,
    private readonly end: number,
  ) {
    this.at = begin;
  }

  // 0 behind the end: a column that nobody wrote is all zero.
  next(): number {
    const bytes = this.bytes;
    if (this.at >= this.end) return 0;
    let byte = bytes[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 0x80;
    do {
      byte = bytes[this.at++];
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80 && this.at < this.end);
    return value;
  }

  nextSigned(): number {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  get done(): boolean {
    return this.at >= this.end;
  }
}

// A reader for each column of a block.
export function readersOf(bytes: Uint8Array, columns: number[]): Reader[] {
  let begin = 0;
  return columns.map((length) => {
    const reader = new Reader(bytes, begin, begin + length);
    begin += length;
    return reader;
  });
}
