-- A photo that was refused differs from one that could not be had, and each says why. Earlier ends stay as they were told.
ALTER TABLE kyc_relay_photo_jobs
  ADD COLUMN last_failure text COLLATE "C",
  DROP CONSTRAINT kyc_relay_photo_jobs_state_check,
  ADD CONSTRAINT kyc_relay_photo_jobs_state_check
    CHECK (state IN ('PENDING', 'STORED', 'REFUSED', 'UNAVAILABLE', 'ERASED'));
