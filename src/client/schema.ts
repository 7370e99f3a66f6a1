/**
 * The API as types, for `openapi-fetch`. `npm run build` replaces this declaration in `dist` with the paths and components of the
 * OpenAPI document (`src/generate/assets/client-types.ts`); the modules of the client itself read responses as data.
 */
export interface paths {
  readonly [path: string]: object
}

export interface components {
  schemas: {
    Result: Readonly<Record<string, unknown>>
    Job: Readonly<Record<string, unknown>>
    JobEvent: Readonly<Record<string, unknown>>
  }
}
