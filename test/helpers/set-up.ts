/** Vitest runs this before every test file: state of the shared process that a file changed is restored at its end. */
import { afterAll, afterEach, vi } from 'vitest'
import { loadSharp } from '../../src/engines/sharp.ts'
import { cleanAfterFile, cleanAfterTest } from './clean-up.ts'
import './equal-bytes.ts'

// It names our fonts for fontconfig, which reads it once per process: it must outlive a file.
loadSharp()
const environment = { ...process.env }
const folder = process.cwd()

afterEach(cleanAfterTest)
afterAll(async () => {
  await cleanAfterFile()
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  process.chdir(folder)
})
