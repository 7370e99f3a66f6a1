/** The entry of a thread that runs groups of steps; `Isolation` starts it with the tool that it will run first. */
import { workerData } from 'node:worker_threads'
import { blockingEngines } from '../../engines/index.ts'
import type { IsolatedTool } from './isolated-work.ts'

const { name, engines } = workerData as IsolatedTool

/** WebAssembly is compiled beside this thread, so it begins before the code that uses it is read. */
const loading = blockingEngines(engines).then((blocking) => Promise.all(blocking.map(({ prepare }) => prepare?.())))
// What cannot be loaded fails the step that needs it, with a sentence.
loading.catch(() => {})
const { answerGroups, loadCode } = await import('./isolated-groups.ts')
answerGroups()
await loadCode(name)
