"""What the site holds beside the documents of the tree: pages that are asked of the program and of the package."""
