import type { CallToolResult, InputRequiredResult, ReadResourceResult, Resource } from '@modelcontextprotocol/server'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import type { Arguments } from './arguments.ts'
import type { Place } from './definitions.ts'

/** The circumstances of one call. */
export interface Call {
  signal: AbortSignal
  /** Progress from 0 to 1, with a short description of the current step. */
  onProgress(fraction: number, phase: string): void
  /** What the client can do for the server. */
  client: { asksUser: boolean; hasRoots: boolean }
  /** The client's answers to questions of an earlier round of this call. Untrusted. */
  answers: Readonly<Record<string, unknown>> | undefined
  /** What the server sent with its question. Untrusted. */
  state: string | undefined
}

/** A finished call, or a question to the client. */
export type Outcome = CallToolResult | InputRequiredResult

/** How an MCP server reads, runs and writes: on this machine, or for an account. */
export interface Backend {
  place: Place
  /** The tools that the caller may use. */
  usable(): Promise<readonly CatalogueEntry[]>
  runTool(given: Arguments, call: Call): Promise<Outcome>
  runPipeline(given: Arguments, call: Call): Promise<Outcome>
  inspectFile?(given: Arguments, call: Call): Promise<Outcome>
  /** Recent results. */
  resources(): Promise<Resource[]>
  /** The form of addresses of results. */
  template: { uriTemplate: string; name: string; description: string }
  /** @throws MediaprocError NOT_FOUND */
  read(uri: string, call: Pick<Call, 'client'>): Promise<ReadResourceResult>
}
