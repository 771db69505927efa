"""Files that people name: opened once, judged by what was opened, limited in size, secret where they hold secrets.

``fsync_dir`` makes a new name last through a power cut; ``plain_files`` refuses devices, pipes and links with one line.
"""
