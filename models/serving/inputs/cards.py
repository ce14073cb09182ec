"""What the card of a model adds for serving: windows of the attention, its caches, and how its routing spreads.

Columns that a catalogue lacks have the defaults of an ordinary attention: no window, 2 a d_h multiply-adds per cached
token and query, a cache that divides over the key heads.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.serving.inputs.constants import FAMILIES

__all__: list[str] = []

_ORDINARY = "an ordinary attention, where the card says nothing else"

window = assumption(
    0.0, unit="1", source=_ORDINARY, doc="Tokens that some layers look back, omega; 0: all of them", minimum=0
)
window_layers = assumption(
    0.0, unit="1", source=_ORDINARY, doc="Layers that look back over a window only, L_w", minimum=0, integer=True
)
decode_width = assumption(
    0.0,
    unit="1",
    source=_ORDINARY,
    doc="Multiply-adds per cached token and query in decoding, u_d; 0: 2 a d_h",
    minimum=0,
)
cache_shards = assumption(
    0.0,
    unit="1",
    source=_ORDINARY,
    doc="Devices that a cache can be divided over, S_c; 0: as many as there are key heads",
    minimum=0,
    integer=True,
)
latent = assumption(
    0.0,
    unit="1",
    source=_ORDINARY,
    doc="1: latent attention, whose layer takes twice the kernels; 0: ordinary",
    minimum=0,
    maximum=1,
    integer=True,
)
routing_family = assumption(
    0.0,
    unit="1",
    source="a model of which nothing was measured",
    doc="Whose measured spread of routing is taken: 0 none, 1 gpt-oss-120b, 2 deepseek-r1",
    minimum=0,
    maximum=len(FAMILIES) - 1,
    integer=True,
)
windows_fit = requirement(
    "window_layers <= layers",
    name="windows",
    source="a window belongs to a layer",
    doc="no more layers look back over a window than there are",
)
_COUNT = "ours: counted from the card"


@quantity(unit="1", source=_COUNT)
def decode_elements(decode_width, heads, head_size):
    """Multiply-adds per cached token and query, u_d."""
    return np.where(decode_width > 0.0, decode_width, 2.0 * heads * head_size)


@quantity(unit="1", source=_COUNT)
def cache_parts(cache_shards, kv_heads, attention_tensor):
    """Parts of a cache on different devices, min(t, S_c); beyond S_c every device has a copy."""
    return np.minimum(attention_tensor, np.where(cache_shards > 0.0, cache_shards, kv_heads))


@quantity(unit="1", source=_COUNT)
def expert_elements(matrices, hidden, expert_ffn):
    """Weights of an expert, B_x = g h f_e."""
    return matrices * hidden * expert_ffn


@quantity(unit="1", source=_COUNT)
def dense_elements(matrices, hidden, ffn):
    """Weights of the feed-forward part of a dense layer, g h f."""
    return matrices * hidden * ffn


def layers_seen(length: np.ndarray, layers: np.ndarray, window: np.ndarray, window_layers: np.ndarray) -> np.ndarray:
    """Return tokens that all layers together look back at: (L - L_w) length + L_w min(omega, length)."""
    near = np.where(window > 0.0, np.minimum(window, length), length)
    narrow = np.minimum(window_layers, layers)
    result: np.ndarray = (layers - narrow) * length + narrow * near
    return result


@quantity(unit="1", source="ours: the middle of the answer")
def context(input_tokens, output_tokens):
    """Tokens that a request has behind it in the mean, y = s_i + s_o/2."""
    return input_tokens + output_tokens / 2.0


@quantity(unit="1", source=_COUNT)
def context_seen(context, layers, window, window_layers):
    """Tokens that a layer looks back at in decoding, in the mean, y'."""
    return layers_seen(context, layers, window, window_layers) / layers


@quantity(unit="1", source=_COUNT)
def prompt_seen(input_tokens, layers, window, window_layers):
    """Tokens that a token of a prompt looks back at, in the mean over its tokens and over layers."""
    return layers_seen(input_tokens / 2.0, layers, window, window_layers) / layers
