import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
  type ParseAs,
} from 'openapi-fetch'
import type { Connection } from './connection.ts'
import { bodyOf } from './form.ts'
import type { paths } from './schema.ts'

type Api = Client<paths>
export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Parameters and body; both optional where the API needs none. */
type Init<V extends Verb, Path extends keyof paths, As> =
  MaybeOptionalInit<paths[Path], V & keyof paths[Path]> extends infer Found
    ? undefined extends Found
      ? [init?: Exclude<Found, undefined> & { parseAs?: As }]
      : [init: Found & { parseAs?: As }]
    : never

/**
 * A request of a path of the API, as the OpenAPI document has it.
 * @returns the JSON of the response; with `parseAs`, its text, Blob, ArrayBuffer or stream
 * @throws ApiError; the reason of the signal
 */
export type Request<V extends Verb> = <Path extends ClientPathsWithMethod<Api, V>, As extends ParseAs = 'json'>(
  path: Path,
  ...init: Init<V, Path, As>
) => Promise<MethodResponse<Api, V, Path, { parseAs: As }>>

type Untyped = (verb: Verb, path: string, init?: object) => Promise<{ data?: unknown; response: Response }>

/** The typed requests over a connection. */
export function requestsOver(connection: Connection): { [V in Verb]: Request<V> } {
  const api = createClient<paths>({
    baseUrl: connection.address,
    fetch: (request) => connection.send(request),
    bodySerializer: bodyOf,
  })
  const request = (verb: Verb) =>
    (async (path: string, init?: object) =>
      (await (api.request as unknown as Untyped)(verb, path, init)).data) as unknown
  return {
    get: request('get') as Request<'get'>,
    post: request('post') as Request<'post'>,
    put: request('put') as Request<'put'>,
    patch: request('patch') as Request<'patch'>,
    delete: request('delete') as Request<'delete'>,
  }
}
