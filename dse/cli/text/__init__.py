"""What the commands print: tables, screens and sentences for people, JSON for programs."""
