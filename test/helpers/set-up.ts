/** Vitest runs this before every test file: whatever a file changed in the process that it shares is put back at its end. */
import { afterAll, afterEach, vi } from 'vitest'
import { cleanAfterFile, cleanAfterTest } from './clean-up.ts'

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
