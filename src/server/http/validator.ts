import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifySchemaValidationError, FastifyServerOptions } from 'fastify'

type Validator = ((data: unknown) => boolean) & { errors?: FastifySchemaValidationError[] | null }

/** Most values of a body whose problems are all listed: each value can have one. */
const LISTED = 1000

/** Whether JSON has more values than a number; counts only that far. */
function hasMore(data: unknown, most: number): boolean {
  let left = most
  const isMore = (value: unknown): boolean => {
    left -= 1
    if (left < 0) return true
    return typeof value === 'object' && value !== null && Object.values(value).some(isMore)
  }
  return isMore(data)
}

/** Validator and serializer, set up front so that Fastify does not load its own, which is slow to load. */
export function compilers(): NonNullable<FastifyServerOptions['schemaController']> {
  const all = new Ajv({ allErrors: true, strict: false })
  const first = new Ajv({ strict: false })
  const text = new Ajv({ allErrors: true, strict: false, coerceTypes: true, useDefaults: true })
  const validator = ({ schema, httpPart }: { schema: object; httpPart?: string }): Validator =>
    httpPart === 'body' ? bodyValidator(first, all, schema) : lateValidator(text, schema)
  // Response schemas only document (and are checked by the tests): they must not change a response or drop fields.
  const serializer = () => (data: unknown) => JSON.stringify(data)
  // Cast to the types of the compilers that are not loaded.
  return { compilersFactory: { buildValidator: () => validator as never, buildSerializer: () => serializer } }
}

/** A validator that is compiled at the first request to its route: most of the hundreds of routes are never used. */
function lateValidator(ajv: Ajv, schema: object): Validator {
  let compiled: ValidateFunction | undefined
  const validate: Validator = (data) => {
    compiled ??= ajv.compile(schema)
    const isValid = compiled(data) as boolean
    // Fastify reads the errors from here.
    validate.errors = compiled.errors as FastifySchemaValidationError[] | null
    return isValid
  }
  return validate
}

/** Lists all problems of a body; only the first of one with many values, which could have as many. */
function bodyValidator(first: Ajv, all: Ajv, schema: object): Validator {
  const [findsFirst, findsAll] = [lateValidator(first, schema), lateValidator(all, schema)]
  const validate: Validator = (data) => {
    if (findsFirst(data)) return true
    const isLong = hasMore(data, LISTED)
    if (!isLong) findsAll(data)
    validate.errors = (isLong ? findsFirst : findsAll).errors ?? null
    return false
  }
  return validate
}
