import { Counter, Gauge, type Registry } from 'prom-client'
import type { DiskSpace } from './disk-space/disk-space.js'

/** Gauges of what the disks have left, by what they hold, and of whether it is too little. */
export function observeDisk(registers: Registry[], disk: Pick<DiskSpace, 'state' | 'isLow' | 'refusals'>): void {
  const labelNames = ['of']
  new Gauge({
    name: 'kyc_relay_disk_free_bytes',
    help: 'Bytes free on the file system of a folder, by what the folder holds.',
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [of, { freeBytes }] of disk.state()) this.set({ of }, freeBytes)
    },
  })
  new Gauge({
    name: 'kyc_relay_disk_free_ratio',
    help: 'Free share of the file system of a folder, 0 to 1, by what the folder holds.',
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [of, { freeBytes, totalBytes }] of disk.state()) {
        if (totalBytes > 0) this.set({ of }, freeBytes / totalBytes)
      }
    },
  })
  new Gauge({
    name: 'kyc_relay_disk_low',
    help: '1 while nothing new is taken, since too little disk space is left.',
    registers,
    collect() {
      this.set(disk.isLow() ? 1 : 0)
    },
  })
  new Counter({
    name: 'kyc_relay_disk_refusals_total',
    help: 'Submissions and events that were refused, since too little disk space was left.',
    registers,
    collect() {
      this.reset()
      this.inc(disk.refusals())
    },
  })
}
