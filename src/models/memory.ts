import { environmentNumber } from '../environment.ts'
import type { Model } from './manifest.ts'

const MEBIBYTE = 1024 * 1024

/** Estimate for a model without figures: its weights, a copy of them in the processor's layout, and the runtime. */
const ESTIMATE = { weights: 2.5, base: 200 * MEBIBYTE } as const

/** Memory that a model uses at run time, in bytes. */
export function memoryOf({ files, memoryMb }: Pick<Model, 'files' | 'memoryMb'>): number {
  if (memoryMb !== undefined) return memoryMb * MEBIBYTE
  return ESTIMATE.base + ESTIMATE.weights * files.reduce((sum, { bytes }) => sum + bytes, 0)
}

let limitBytes = Number.POSITIVE_INFINITY

/** Memory limit set by the operator of this process, which is killed when it exceeds it. */
export function limitModelMemory(bytes: number): void {
  limitBytes = bytes
}

/** Memory that a model may use now: limited by the free memory of the machine (or container) and of this process. */
export function freeModelMemory(): number {
  return Math.min(process.availableMemory(), limitBytes - process.memoryUsage.rss())
}

/** Memory budget in bytes for all idle loaded models. */
export function modelBudget(): number {
  const configured = environmentNumber('MEDIAPROC_MODEL_MEMORY_MB')
  return configured > 0 ? configured * MEBIBYTE : freeModelMemory() / 2
}
