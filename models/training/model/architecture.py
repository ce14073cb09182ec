"""The architecture of a transformer: its weights, and the operations a step of training takes.

With L layers of width h, of which L_d are dense and the others have experts (Narayanan et al. 2021; gated feed-forward
parts, grouped keys and experts added)::

    P_D = P_a + g h f                          weights of a dense layer
    P_M = P_a + g h f_e (E + E_s) + h E        of a layer of experts
    P_U = P_a + g h f_e (k + E_s) + h E        of them, those one token uses
    P = L_d P_D + (L - L_d) P_M + h V (2 - tied)
    Q = 6 B s (L_d P_D + (L - L_d) P_U + h V) + 12 B s^2 w_c L

Norms and biases are left out, less than 0.1 % of the weights.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import parameter, quantity
from dse.models.sources import NARAYANAN_2021

__all__: list[str] = []

_WEIGHTS = f"{NARAYANAN_2021}; gated parts, grouped keys and experts counted by us"

layers = parameter(unit="1", doc="Layers of the transformer, L", minimum=1, integer=True)
hidden = parameter(unit="1", doc="Width of the transformer, h", minimum=1, integer=True)
heads = parameter(unit="1", doc="Heads of the attention, a", minimum=1, integer=True)
kv_heads = parameter(unit="1", doc="Heads of keys and values, k_v", minimum=1, integer=True)
head_size = parameter(unit="1", doc="Elements of a head, d_h", minimum=1, integer=True)
ffn = parameter(
    unit="1", doc="Inner width of the feed-forward part, 0 where no layer is dense, f", minimum=0, integer=True
)
matrices = parameter(
    unit="1", doc="Matrices of the feed-forward part: 2, or 3 when gated, g", minimum=2, maximum=3, integer=True
)
vocab = parameter(unit="1", doc="Entries of the vocabulary, V", minimum=1, integer=True)
sequence = parameter(unit="1", doc="Tokens of a sequence, s", minimum=1, integer=True)
experts = parameter(unit="1", doc="Routed experts of a layer of experts, 0: none, E", minimum=0, integer=True)
top_k = parameter(unit="1", doc="Routed experts that a token uses, k", minimum=0, integer=True)
expert_ffn = parameter(unit="1", doc="Inner width of an expert, f_e", minimum=0, integer=True)
shared_experts = parameter(unit="1", doc="Experts that every token uses, E_s", minimum=0, integer=True)
dense_layers = parameter(unit="1", doc="Layers without experts, L_d", minimum=0, integer=True)
attention_parameters = parameter(unit="1", doc="Weights of the attention of a layer, P_a", above=0)
core_width = parameter(
    unit="1", doc="Elements of a token in the products of scores, w_c: heads times their size", above=0
)
tied = parameter(
    unit="1", doc="1: the table of the input is that of the output, 0: not", minimum=0, maximum=1, integer=True
)
dropout = parameter(unit="1", doc="1: masks of dropout are kept, 0: no dropout", minimum=0, maximum=1, integer=True)
cache_elements = parameter(unit="1", doc="Elements that a layer caches per token, 2 k_v d_h", above=0)
batch = parameter(unit="1", doc="Sequences of a step, B", minimum=1, integer=True)


@quantity(unit="1", source=_WEIGHTS)
def dense_layer_parameters(attention_parameters, matrices, hidden, ffn):
    """Weights of a dense layer, P_D = P_a + g h f."""
    return attention_parameters + matrices * hidden * ffn


@quantity(unit="1", source=_WEIGHTS)
def expert_layer_parameters(attention_parameters, matrices, hidden, expert_ffn, experts, shared_experts):
    """Weights of a layer of experts, P_M = P_a + g h f_e (E + E_s) + h E."""
    return attention_parameters + matrices * hidden * expert_ffn * (experts + shared_experts) + hidden * experts


@quantity(unit="1", source=_WEIGHTS)
def used_layer_parameters(attention_parameters, matrices, hidden, expert_ffn, experts, top_k, shared_experts):
    """Weights of a layer of experts that a token uses, P_U = P_a + g h f_e (k + E_s) + h E."""
    return attention_parameters + matrices * hidden * expert_ffn * (top_k + shared_experts) + hidden * experts


@quantity(unit="1", source="ours: layers without experts over all")
def dense_share(dense_layers, layers):
    """Share of the layers that are dense, q = L_d/L."""
    return dense_layers / layers


@quantity(unit="1", source=_WEIGHTS)
def sparse_share(dense_layers, layers):
    """Share of the layers that have experts, 1 - q."""
    return (layers - dense_layers) / layers


@quantity(unit="1", source=_WEIGHTS)
def embedding_parameters(hidden, vocab, tied):
    """Weights of the tables of input and output, h V (2 - tied)."""
    return hidden * vocab * (2.0 - tied)


@quantity(unit="1", source=_WEIGHTS, label="parameters of the model")
def model_parameters(
    layers, dense_share, sparse_share, dense_layer_parameters, expert_layer_parameters, embedding_parameters
):
    """Weights of the model, P."""
    return (
        layers * (dense_share * dense_layer_parameters + sparse_share * expert_layer_parameters) + embedding_parameters
    )


@quantity(unit="1", source=_WEIGHTS)
def active_layer_parameters(dense_share, sparse_share, dense_layer_parameters, used_layer_parameters):
    """Weights of a layer that a token uses, in the mean over both kinds."""
    return dense_share * dense_layer_parameters + sparse_share * used_layer_parameters


@quantity(unit="1", source=_WEIGHTS)
def model_active_parameters(layers, active_layer_parameters, embedding_parameters):
    """Weights of the model that a token uses, the tables in full."""
    return layers * active_layer_parameters + embedding_parameters


@quantity(unit="1", source=f"{NARAYANAN_2021}; the attention counts in full although it is causal")
def step_flop(batch, sequence, layers, hidden, vocab, active_layer_parameters, core_width):
    """Model operations of a step, Q = 6 B s (weights a token meets) + 12 B s^2 w_c L."""
    weights = layers * active_layer_parameters + hidden * vocab
    return 6.0 * batch * sequence * weights + 12.0 * batch * sequence * sequence * core_width * layers


@quantity(unit="1", source="ours: half of the products of scores are masked")
def step_flop_causal(batch, sequence, layers, hidden, vocab, active_layer_parameters, core_width):
    """Model operations of a step without those the causal mask discards."""
    weights = layers * active_layer_parameters + hidden * vocab
    return 6.0 * batch * sequence * weights + 6.0 * batch * sequence * sequence * core_width * layers
