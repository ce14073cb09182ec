"""OTF2 archives, as Score-P, EZTrace and TAU write them: definitions, the events of a rank, reading and writing."""
