-- A delivery is changed once, by its end, and mostly soon after it was written and together with its neighbours. With room
-- for that on its own page none of its indexes is written again.
ALTER TABLE kyc_relay_deliveries SET (fillfactor = 45);
