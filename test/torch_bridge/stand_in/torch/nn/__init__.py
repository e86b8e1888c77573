# SPDX-License-Identifier: Apache-2.0
from .modules.module import Module  # noqa: F401
