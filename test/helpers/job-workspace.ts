import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach } from 'vitest'
import { FileJobs } from '../../src/store/file/jobs/jobs.ts'
import type { JobRecord } from '../../src/store/job-record.ts'
import { afterEveryTest } from './clean-up.ts'
import { temporaryFolder } from './tool.ts'

/** A workspace of jobs per test: its folder, its index, and how to open it. */
export interface JobWorkspace {
  /** The parent of the folder, as the data folder of a server is. */
  readonly parent: string
  readonly folder: string
  readonly index: string
  /** The opened ones, in order. */
  readonly opened: FileJobs[]
  open(onDamaged?: (id: string) => void): Promise<FileJobs>
  /** Closes what was opened, as the end of the server does. */
  close(): Promise<void>
}

/** Gives every test a fresh workspace of jobs, which is closed after it. */
export function useJobWorkspace(): JobWorkspace {
  const parent = temporaryFolder()
  const opened: FileJobs[] = []
  let folder = ''
  const close = async (): Promise<void> => {
    for (const jobs of opened.splice(0)) await jobs.close()
  }
  beforeEach(() => {
    folder = mkdtempSync(join(parent, 'workspace-'))
  })
  afterEveryTest(close)
  return {
    parent,
    opened,
    get folder() {
      return folder
    },
    get index() {
      return `${folder}.index`
    },
    async open(onDamaged = () => {}) {
      const jobs = await FileJobs.open(folder, { index: `${folder}.index`, onDamaged })
      opened.push(jobs)
      return jobs
    },
    close,
  }
}

/** The record of a job that ended in January 2026. */
export const endedRecord = (
  id: string,
  ownerId: string | null,
  clientJobId: string | null,
  status: JobRecord['status'] = 'completed',
): JobRecord => ({
  ...{ id, clientJobId, ownerId, type: 'single', toolId: 'resize', status, percent: 100, stage: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', startedAt: null, completedAt: '2026-01-01T00:00:01.000Z', attempts: 1 },
  ...{ inputBytes: 1, outputs: [], result: null, error: null, expiresAt: null },
})
