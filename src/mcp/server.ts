import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { toMediaprocError } from '../errors.ts'
import { packageVersion } from '../root.ts'
import { dataResult, errorResult, failureOf, failureText } from './answers.ts'
import { type Arguments, refuseUnknown } from './arguments.ts'
import type { Backend, Call, Outcome } from './backend.ts'
import { definitionsFor, INSTRUCTIONS } from './definitions.ts'
import { describe, list, search } from './discover.ts'

/** Least time between two progress notifications of a call, in milliseconds. */
const PROGRESS_MS = 250

/** How long clients of the newest protocol may keep the list of tools, in milliseconds. */
const LIST_TTL_MS = 60 * 60_000

type Handler = (given: Arguments, call: Call) => Promise<Outcome>

function handlersOf(backend: Backend): Readonly<Record<string, Handler>> {
  return {
    search_tools: async (given) => dataResult(search(given, await backend.usable())),
    list_tools: async (given) => dataResult(list(given, await backend.usable())),
    describe_tool: async (given) => dataResult(describe(given, await backend.usable(), backend.place)),
    run_tool: (given, call) => backend.runTool(given, call),
    run_pipeline: (given, call) => backend.runPipeline(given, call),
    ...(backend.inspectFile && { inspect_file: (given, call) => backend.inspectFile!(given, call) }),
  }
}

function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {}
}

/** Sends progress, if the client asked for it: it only rises, and not too often. */
function reporter({ mcpReq }: ServerContext): Call['onProgress'] {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  let last = 0
  let sentAt = 0
  return (fraction, message) => {
    const now = Date.now()
    if (fraction <= last || (now - sentAt < PROGRESS_MS && fraction < 1)) return
    last = fraction
    sentAt = now
    const params = { progressToken, progress: fraction, total: 1, ...(message && { message }) }
    // A client that has gone needs no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}

function callOf(server: Server, context: ServerContext): Call {
  const { elicitation, roots } = capabilitiesOf(server, context)
  const { signal, inputResponses, requestState } = context.mcpReq
  const state = requestState<unknown>()
  return {
    signal,
    onProgress: reporter(context),
    client: { asksUser: elicitation !== undefined, hasRoots: roots !== undefined },
    answers: inputResponses,
    state: typeof state === 'string' ? state : undefined,
  }
}

/** An MCP server for one connection or request. Errors of tools are results with code and hint, not protocol errors. */
export function createServer(backend: Backend): Server {
  const { place } = backend
  const server = new Server(
    { name: 'mediaproc', title: 'mediaproc', version: packageVersion() },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: INSTRUCTIONS[place],
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
    },
  )
  const definitions = definitionsFor(place)
  const handlers = handlersOf(backend)
  server.setRequestHandler('tools/list', () => ({ tools: definitions }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: given = {} } = params
    const definition = definitions.find((one) => one.name === name)
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
    if (!definition || !handler)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`)
    try {
      refuseUnknown(given, Object.keys(definition.inputSchema.properties as object))
      return await handler(given, callOf(server, context))
    } catch (error) {
      return errorResult(failureOf(error, place))
    }
  })
  server.setRequestHandler('resources/list', async () => ({ resources: await backend.resources() }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [backend.template] }))
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    try {
      return await backend.read(params.uri, callOf(server, context))
    } catch (error) {
      const { code } = toMediaprocError(error)
      const isParameter = code !== 'INTERNAL'
      throw new ProtocolError(
        isParameter ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
        failureText(failureOf(error, place)),
        { code },
      )
    }
  })
  return server
}
