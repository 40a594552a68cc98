-- A user's status is what the newest verification of the user left: one writer at a time needs no row to lock.
DROP TABLE kyc_relay_kyc_statuses;
