"""What a run, a sweep or a comparison says in sentences, the same in the terminal and on a page."""
