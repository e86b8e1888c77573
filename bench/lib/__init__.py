# SPDX-License-Identifier: Apache-2.0
"""This package holds what the experiments share."""
