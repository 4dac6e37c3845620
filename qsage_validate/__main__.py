"""``python -m qsage_validate`` is ``qsage``."""

from qsage_validate.cli.start import main

if __name__ == "__main__":
    main()
