import type { RemoteRunner } from '../local/remote-runner.ts'
import { Connection } from './connection.ts'
import { runRemotePipeline } from './pipeline.ts'
import { remoteTool } from './tool.ts'
import { Uploads } from './uploads.ts'

/** Jobs that are sent at the same time: the server's queue orders them, so that uploads and work overlap. */
const JOBS_AT_ONCE = 4

/** Runs jobs on a server. Close it after the run. */
export interface OpenRemote extends RemoteRunner {
  close(): Promise<void>
}

/** @param address from `serverAddress` */
export function openRemote(address: string, key: string | undefined): OpenRemote {
  const connection = new Connection(address, key)
  const remote = { connection, uploads: new Uploads(connection) }
  return {
    concurrency: JOBS_AT_ONCE,
    tool: (found, tool, conversion) => remoteTool(remote, found, tool, conversion),
    pipeline: (request, place) => runRemotePipeline(remote, request, place),
    close: () => connection.close(),
  }
}
