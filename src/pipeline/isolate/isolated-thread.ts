/** The entry point of a thread that runs groups of steps; `Isolation` starts it with the tool of its first group. */
import { workerData } from 'node:worker_threads'
import { blockingEngines } from '../../engines/index.ts'
import { useEnvironmentPlugins } from '../../tool/plugins/from-environment.ts'
import type { IsolatedTool } from './isolated-work.ts'

const { name, engines } = workerData as IsolatedTool

/** WebAssembly compiles in the background, so it starts before the code that uses it is loaded. */
const loading = blockingEngines(engines).then((blocking) => Promise.all(blocking.map(({ prepare }) => prepare?.())))
// A load error fails the step that needs the code, with a proper message.
loading.catch(() => {})
const { answerGroups, loadCode } = await import('./isolated-groups.ts')
await useEnvironmentPlugins()
answerGroups()
await loadCode(name)
