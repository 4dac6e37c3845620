"""``python -m qsage_validate`` is ``qsage``."""

from qsage_validate.cli.app import main

if __name__ == "__main__":
    main()
