import { pathToFileURL } from 'node:url'
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEveryFile } from './clean-up.ts'
import { PROGRAM } from './program.ts'

export const NEWEST = '2026-07-28'

export interface AgentOptions {
  /** Folders of `--root`. */
  roots?: readonly string[]
  /** Folders that the client names. */
  clientRoots?: readonly string[]
  /** What the user answers to a question; without it, the client cannot ask. */
  answer?: (message: string) => { action: 'accept' | 'decline'; content?: Record<string, boolean> }
  /** Speaks the protocol of 2025, with a handshake. */
  isOld?: boolean
}

const open = new Set<Client>()
afterEveryFile(async () => {
  for (const client of open) await client.close()
  open.clear()
})

/** A client with the abilities of the options. */
export function makeClient({ clientRoots, answer, isOld = false }: AgentOptions): Client {
  const options: ClientOptions = {
    capabilities: { ...(clientRoots && { roots: {} }), ...(answer && { elicitation: { form: {} } }) },
    versionNegotiation: { mode: isOld ? 'legacy' : { pin: NEWEST } },
  }
  const client = new Client({ name: 'test', version: '1' }, options)
  if (clientRoots)
    client.setRequestHandler('roots/list', () => ({
      roots: clientRoots.map((path) => ({ uri: pathToFileURL(path).href })),
    }))
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message))
  open.add(client)
  return client
}

/** Starts `mediaproc mcp` and connects to it. Requires a build. */
export async function startAgent(options: AgentOptions = {}): Promise<Client> {
  const client = makeClient(options)
  const args = [PROGRAM, 'mcp', ...(options.roots ?? []).flatMap((root) => ['--root', root])]
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args,
      env: process.env as Record<string, string>,
      stderr: 'ignore',
    }),
  )
  return client
}

/** Calls a tool. */
export const ask = (client: Client, name: string, given: Record<string, unknown> = {}): Promise<CallToolResult> =>
  client.callTool({ name, arguments: given })

/** The structured content of a result that did not fail. */
// biome-ignore lint/suspicious/noExplicitAny: what a server answers has no type before it is looked at
export function dataOf(result: CallToolResult): any {
  if (result.isError) throw new Error(JSON.stringify(result.structuredContent))
  return result.structuredContent
}

/** The error of a result: of the call, or of its first job. */
export function errorOf({ isError, structuredContent }: CallToolResult): {
  code: string
  message: string
  hint?: string
} {
  const { error, results } = (structuredContent ?? {}) as { error?: object; results?: { error?: object }[] }
  return { isError, ...(error ?? results?.find((one) => one.error)?.error) } as never
}

/** Connects to `/mcp` of a server with a token or key. */
export async function connectAgent(
  base: string,
  token: string | undefined,
  options: AgentOptions = {},
): Promise<Client> {
  const client = makeClient(options)
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers } }))
  return client
}
