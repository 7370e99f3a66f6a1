/** A store without files: code that only uses the interface works with it as well. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { MemoryBlobs } from '../helpers/memory-store/blobs.ts'
import { openMemoryStore } from '../helpers/memory-store/store.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { blobsContract } from './contract/blobs.ts'
import { jobsContract, workspaceContract } from './contract/jobs.ts'
import { libraryContract } from './contract/library.ts'
import { repositoriesContract } from './contract/repositories.ts'

const parent = temporaryFolder()
const open = () => openMemoryStore(mkdtempSync(join(parent, 'data-')))

describe('the store in memory', () => {
  repositoriesContract(open)
  jobsContract(open)
  workspaceContract(open)
  libraryContract(open)
})

describe('blobs in memory', () => {
  blobsContract(async () => new MemoryBlobs())
})
