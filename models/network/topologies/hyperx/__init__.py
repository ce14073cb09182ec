"""HyperX: a full mesh along every line of switches of a grid."""
