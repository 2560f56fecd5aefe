/* step01-2: has less */
