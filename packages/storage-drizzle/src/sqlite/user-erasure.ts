import type Database from 'better-sqlite3'
import { and, eq, inArray, isNotNull, isNull, ne, sql } from 'drizzle-orm'
import type { ErasedRows, UserErasure } from '../user-erasure.js'
import { prepareClaiming } from './claiming.js'
import type { DrizzleDatabase } from './drizzle-database.js'
import { read } from './read.js'
import type { SharedCommits } from './shared-commits.js'
import { grants } from './tables/apps.js'
import { photoJobs, verifications } from './tables/verifications.js'
import { attempts, deliveries, events, transactions } from './tables/webhooks.js'
import { cancelPending, prepareCancelling } from './cancelling.js'

const value = sql.placeholder

/** Reason of a delivery that an erasure cancelled. */
const cancelReason = 'USER_ERASED'
