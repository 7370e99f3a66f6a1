import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Turn } from '../../process-lock.ts'
import { findModel, type ModelFile } from '../manifest.ts'
import { changeStore } from './change-store.ts'
import { fingerprintOf } from './file-hash.ts'
import { readRecords, wantedModels } from './records.ts'
import { blobPath, modelFolder } from './store-folder.ts'

/** The verification result of a file. */
export interface Finding {
  model: string
  file: string
  state: 'good' | 'damaged' | 'missing'
}

async function stateOf(folder: string, { name, sha256 }: ModelFile, signal: AbortSignal): Promise<Finding['state']> {
  const found = await fingerprintOf(join(folder, name), signal).catch((error: NodeJS.ErrnoException) => {
    if (signal.aborted) throw error
    return undefined
  })
  if (!found) return 'missing'
  return found.sha256 === sha256 ? 'good' : 'damaged'
}

/**
 * Verifies every installed file against the manifest. A model with a wrong file is disabled, so that an install
 * downloads that file again.
 * @param onModel called with each model before its files are read
 */
export async function verify(store: string, turn: Turn, onModel?: (id: string) => void): Promise<Finding[]> {
  const findings: Finding[] = []
  const { bundles, single } = await readRecords(store)
  if (Object.keys(bundles).length === 0 && single.length === 0) return findings
  await changeStore(store, turn, async ({ records }) => {
    for (const id of wantedModels(records)) {
      const model = findModel(id)
      if (!model) continue
      onModel?.(id)
      const folder = modelFolder(store, model)
      for (const file of model.files) {
        const state = await stateOf(folder, file, turn.signal)
        findings.push({ model: id, file: file.name, state })
        if (state === 'damaged') await rm(blobPath(store, file.sha256), { force: true })
        if (state !== 'good') await rm(folder, { recursive: true, force: true })
      }
    }
    return records
  })
  return findings
}
