-- The vault has a database of its own: who reads the one cannot join it with the other.
CREATE DATABASE vault;
