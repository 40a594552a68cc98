import { Counter, Gauge, type Registry } from 'prom-client'
import type { DiskSpace } from './disk-space/disk-space.js'

/** Registers gauges of the free disk space by content, and of low disk space. */
export function observeDisk(registers: Registry[], disk: Pick<DiskSpace, 'state' | 'isLow' | 'refusals'>): void {
  const labelNames = ['of']
  new Gauge({
    name: 'kyc_relay_disk_free_bytes',
    help: 'Free bytes on the file system of a folder, by content of the folder.',
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [of, { freeBytes }] of disk.state()) this.set({ of }, freeBytes)
    },
  })
  new Gauge({
    name: 'kyc_relay_disk_free_ratio',
    help: 'Free share of the file system of a folder, 0 to 1, by content of the folder.',
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
    help: '1 while submissions and events are refused because disk space is low.',
    registers,
    collect() {
      this.set(disk.isLow() ? 1 : 0)
    },
  })
  new Counter({
    name: 'kyc_relay_disk_refusals_total',
    help: 'Submissions and events refused because disk space was low.',
    registers,
    collect() {
      this.reset()
      this.inc(disk.refusals())
    },
  })
}
