/** A set of npm packages that users install when a tool first needs it. */
export interface PackDeclaration {
  /** Its purpose, in half a sentence. */
  purpose: string
  /** Licences of its packages. */
  licence: string
  packages: readonly string[]
}

/**
 * The engine packs by name. Their packages are development dependencies, so a checkout has all of them. models/engines.json
 * pins versions and checksums, with what these packages depend on.
 */
export const PACKS = {
  exiftool: {
    purpose: 'removing single kinds of metadata, editing metadata, previews of raw files',
    licence: 'Artistic-1.0-Perl or GPL',
    packages: ['exiftool-vendored.pl'],
  },
  icodec: {
    purpose: 'reading and writing JPEG XL, writing HEIC',
    licence: 'MIT; contains GPL and LGPL parts',
    packages: ['icodec'],
  },
  keyring: {
    purpose: 'keys of mediaproc login in the keyring of the system',
    licence: 'MIT',
    packages: ['@napi-rs/keyring'],
  },
  opentelemetry: {
    purpose: 'traces of serve for an OpenTelemetry collector (OTEL_EXPORTER_OTLP_ENDPOINT)',
    licence: 'Apache-2.0',
    packages: [
      ...['@opentelemetry/api', '@opentelemetry/core', '@opentelemetry/resources', '@opentelemetry/sdk-trace-base'],
      ...['@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/exporter-trace-otlp-proto'],
    ],
  },
  playwright: {
    purpose: 'web pages as pictures, HTML and Markdown as PDF, with an installed Chromium',
    licence: 'Apache-2.0',
    packages: ['playwright-core'],
  },
  postgres: {
    purpose: 'records of serve in PostgreSQL (DATABASE_URL)',
    licence: 'MIT',
    packages: ['pg', 'kysely'],
  },
  redis: {
    purpose: 'events and rate limits of several servers in Redis (REDIS_URL)',
    licence: 'MIT, Apache-2.0',
    packages: ['ioredis'],
  },
  s3: {
    purpose: 'files of several servers in S3-compatible object storage (S3_BUCKET)',
    licence: 'Apache-2.0',
    packages: ['@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@aws-sdk/s3-request-presigner'],
  },
  vectorizer: {
    purpose: 'tracing pictures into drawings',
    licence: 'MIT',
    packages: ['@neplex/vectorizer'],
  },
} satisfies Record<string, PackDeclaration>

interface Locked {
  version: string
  integrity: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

/** A package of a pack as package-lock.json pins it. */
export type LockedPackage = Pick<Locked, 'version' | 'integrity' | 'os' | 'cpu' | 'libc'> & {
  name: string
  path: string
}

/** Where Node finds a package from the folder of another, as in package-lock.json. */
function placeOf(name: string, from: string, packages: Readonly<Record<string, Locked>>): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[path]) return path
    if (folder === '') throw new Error(`package-lock.json has no ${name}`)
  }
}

/** The packages of a pack with everything they depend on, also for other machines, by path. */
export function lockedPackages({ packages: roots }: PackDeclaration, lock: string): LockedPackage[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> }
  const found = new Map<string, LockedPackage>()
  const add = (name: string, from: string): void => {
    const path = placeOf(name, from, packages)
    const about = packages[path]
    if (!about || found.has(path)) return
    const { version, integrity, os, cpu, libc } = about
    found.set(path, { name, version, path, integrity, ...(os && { os }), ...(cpu && { cpu }), ...(libc && { libc }) })
    for (const needed of Object.keys({ ...about.dependencies, ...about.optionalDependencies })) add(needed, path)
  }
  for (const root of roots) add(root, '')
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}
