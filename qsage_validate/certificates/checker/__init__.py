"""The quick check of certificates, around the kernel's theorems."""
