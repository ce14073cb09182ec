"""Two networks of one machine: a program over shared memory and over TCP, each run predicted from the other."""
