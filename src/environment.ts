import { readFileSync } from 'node:fs'
import { MediaprocError } from './errors.ts'
import { firstOf } from './lists.ts'

export interface EnvironmentRow {
  default: string | number
  help: string
  /** Only read by `mediaproc serve`. */
  server?: true
  /** Affects the outputs of a job, so that a change of it makes outputs outdated (--newer). */
  decides?: true
  /** Names a file or folder whose content also matters. */
  files?: true
  /** Can be given as a file: `<NAME>_FILE` holds its path. Never printed. */
  secret?: true
}

/**
 * Every environment variable that the program reads, with its default and help line. Lint checks that each is read,
 * and that no other code reads `process.env` except to pass it on (src/generate/lint/variables.ts lists it).
 */
export const ENVIRONMENT = {
  MAX_MEGAPIXELS: { default: 100, help: 'maximum size of a picture, in millions of pixels; 0 = no limit' },
  MAX_ARCHIVE_FILES: { default: 1000, help: 'maximum number of files in a ZIP file; 0 = no limit' },
  MAX_UNPACKED_FILE_MB: {
    default: 200,
    help: 'maximum size of a file in a ZIP file, in mebibytes; 0 = no limit',
  },
  MAX_UNPACKED_SIZE_MB: { default: 500, help: 'maximum unpacked size of a ZIP file, in mebibytes; 0 = no limit' },
  MAX_UNPACKED_RATIO: { default: 100, help: 'maximum ratio of unpacked to packed size of a ZIP file; 0 = no limit' },
  MAX_CANVAS_PIXELS: { default: 0, help: 'maximum canvas size for joined pictures, in pixels; 0 = no limit' },
  MAX_SVG_SIZE_MB: { default: 50, help: 'maximum size of an SVG file, in megabytes' },
  MAX_PDF_PAGES: { default: 0, help: 'maximum length of a PDF, in pages; 0 = no limit' },
  MAX_VIDEO_DURATION_S: { default: 0, help: 'maximum length of a video, in seconds; 0 = no limit' },
  MAX_AUDIO_DURATION_S: { default: 0, help: 'maximum length of audio, in seconds; 0 = no limit' },
  MAX_VIDEO_BITRATE_KBPS: { default: 0, help: 'maximum video bit rate, in kbit/s; 0 = no limit' },
  MAX_DOWNLOAD_SIZE_MB: { default: 1024, help: 'maximum download size of a URL, in megabytes' },
  MAX_PIPELINE_STEPS: { default: 20, help: 'maximum number of pipeline steps for a file; 0 = no limit' },
  CONCURRENT_JOBS: { default: 0, help: 'concurrent jobs in a batch; 0 = based on the number of cores' },
  PROCESSING_TIMEOUT_S: { default: 0, help: "caps every tool's own time limit, in seconds; 0 = no cap" },
  MEDIAPROC_PLUGINS: {
    default: '',
    help: 'plugins: paths of folders or modules, separated as in PATH (docs/plugins.md)',
    decides: true,
    files: true,
  },
  MEDIAPROC_FORMAT_TIMEOUT_S: {
    default: 60,
    help: 'maximum time to decode or encode a picture in a format of a plugin, in seconds; 0 = no limit',
  },
  MEDIAPROC_FORMAT_MEMORY_MB: {
    default: 1024,
    help: 'maximum memory of a decoder or encoder of a plugin, in mebibytes; 0 = no limit',
  },
  MEDIAPROC_OFFLINE: { default: '', help: 'set to 1: no network connection is opened' },
  MEDIAPROC_ALLOW_PRIVATE_HOSTS: { default: '', help: 'set to 1: URLs of private networks are allowed' },
  MEDIAPROC_MEMES: {
    default: '',
    help: 'folder of additional meme templates: pictures and a manifest.json',
    decides: true,
    files: true,
  },
  DISPLAY: {
    default: '',
    help: 'set by the system (X11): without it and WAYLAND_DISPLAY, open prints the address on Linux',
  },
  WAYLAND_DISPLAY: { default: '', help: 'set by the system (Wayland), as DISPLAY' },
  SSH_CONNECTION: {
    default: '',
    help: 'set by sshd: open then prints the address, as the browser is on another machine',
  },
  MEDIAPROC_FFMPEG: { default: '', help: 'the ffmpeg program to use', decides: true },
  MEDIAPROC_FFPROBE: { default: '', help: 'the ffprobe program to use', decides: true },
  MEDIAPROC_GHOSTSCRIPT: { default: '', help: 'the Ghostscript program (gs) to use', decides: true },
  MEDIAPROC_HEIF_ENC: { default: '', help: 'the heif-enc program to use', decides: true },
  MEDIAPROC_JPEGTRAN: { default: '', help: 'the jpegtran program to use', decides: true },
  MEDIAPROC_CJXL: { default: '', help: 'the cjxl program to use', decides: true },
  MEDIAPROC_DJXL: { default: '', help: 'the djxl program to use', decides: true },
  MEDIAPROC_DCRAW: { default: '', help: 'the dcraw_emu or dcraw program to use', decides: true },
  MEDIAPROC_TESSERACT: { default: '', help: 'the Tesseract program to use', decides: true },
  MEDIAPROC_CHROMIUM: { default: '', help: 'the Chromium or Chrome program to use', decides: true },
  MEDIAPROC_CHROMIUM_SANDBOX: {
    default: 'true',
    help: 'false: allow root to run Chromium, without its sandbox; for containers that isolate it',
  },
  MEDIAPROC_LIBREOFFICE: { default: '', help: 'the LibreOffice program (soffice) to use', decides: true },
  MEDIAPROC_UNSHARE: {
    default: '',
    help: 'the program that runs LibreOffice without a network (unshare of util-linux)',
  },
  LIBREOFFICE_TIMEOUT_S: {
    default: 120,
    help: 'maximum time for LibreOffice per document, in seconds; 0 = the limit of the tool',
  },
  MEDIAPROC_EXIFTOOL: { default: '', help: 'the exiftool script to use', decides: true },
  MEDIAPROC_PERL: { default: '', help: 'the perl that runs exiftool', decides: true },
  GITHUB_STEP_SUMMARY: { default: '', help: 'set by GitHub Actions: the file that summaries of runs are added to' },
  GITHUB_WORKSPACE: {
    default: '',
    help: 'set by GitHub Actions: the folder that locations of findings are relative to',
  },
  MEDIAPROC_DEBUG: { default: '', help: 'set to 1: stack traces of unexpected errors are printed' },
  MEDIAPROC_JOBS: { default: 0, help: 'as -j: concurrent jobs; 0 = CONCURRENT_JOBS' },
  MEDIAPROC_OUTPUT_DIR: { default: '', help: 'as --output-dir: the folder for outputs' },
  MEDIAPROC_NAME: { default: '', help: "as --name: the pattern of output names, such as '{stem}_{tool}.{ext}'" },
  MEDIAPROC_FORCE: { default: '', help: 'set to 1: as --force, existing outputs are replaced' },
  MEDIAPROC_QUIET: { default: '', help: 'set to 1: as --quiet, only errors are printed' },
  MEDIAPROC_TIMEOUT: { default: 0, help: 'as --timeout: seconds that one job may take; 0 = the limit of the tool' },
  MEDIAPROC_NEWER: {
    default: '',
    help: 'hash: --newer always compares contents; time: only if sizes and times are not conclusive',
  },
  MEDIAPROC_SERVER: { default: '', help: 'as --server: the address of a mediaproc server that runs the jobs' },
  MEDIAPROC_API_KEY: {
    default: '',
    help: 'the API key for the server of --server or MEDIAPROC_SERVER; mediaproc login stores one instead',
    secret: true,
  },
  MEDIAPROC_KEYRING: {
    default: '',
    help: 'true or false: as --keyring and --no-keyring of mediaproc login; by default the keyring, if its engine pack is installed',
  },
  MEDIAPROC_RECORDS: {
    default: '',
    help: 'beside: the records for --newer are also kept next to the outputs, in .mediaproc-records; cache: only in the cache',
  },
  MEDIAPROC_CACHE_DIR: {
    default: '',
    help: 'folder of the records for --newer, of what the installed ffmpeg can do, and of compiled code (Node 22.8 and later); mediaproc in XDG_CACHE_HOME by default',
  },
  MEDIAPROC_MODELS: {
    default: '',
    help: "folder of the installed models; mediaproc/models in the user's data folder by default, in serve <data>/models",
    decides: true,
  },
  MEDIAPROC_ENGINES: {
    default: '',
    help: "folder of the installed engine packs; mediaproc/engines in the user's data folder by default",
    decides: true,
  },
  MEDIAPROC_INSTALL: {
    default: '',
    help: 'set to 1: an engine pack that a tool needs is installed without a question, as with --install-engines',
  },
  MEDIAPROC_DEVICE: {
    default: 'auto',
    help: 'device for models: auto (an NVIDIA GPU if the runtime has its provider), cpu or cuda',
    decides: true,
  },
  MEDIAPROC_MODEL_MEMORY_MB: {
    default: 0,
    help: 'memory limit for the loaded models of a process, in megabytes; 0 = half of the free memory',
  },
  MAX_REMBG_PX: {
    default: 2048,
    help: 'maximum side length for refining the edges of a cut-out subject, in pixels; 0 = that of the picture',
    decides: true,
  },
  MEDIAPROC_MANIFESTS: {
    default: '',
    help: "folder of models.json, bundles.json and runtime.json, and engines.json if it has one, that replace the package's own, such as those with mirror URLs",
  },
  GIF_BG_MAX_FRAMES: { default: 300, help: 'maximum number of animation frames for background removal; 0 = no limit' },
  XDG_DATA_HOME: {
    default: '',
    help: 'where models and engine packs are kept without MEDIAPROC_MODELS and MEDIAPROC_ENGINES; ~/.local/share by default',
  },
  LOCALAPPDATA: {
    default: '',
    help: 'on Windows: where models and engine packs are kept without MEDIAPROC_MODELS and MEDIAPROC_ENGINES',
  },
  HTTPS_PROXY: {
    default: '',
    help: 'the proxy for model downloads, also as https_proxy; npm packages use the proxy configured for npm',
  },
  HTTP_PROXY: { default: '', help: 'the same for http URLs, which only custom manifests have' },
  NO_PROXY: {
    default: '',
    help: 'hosts to contact without the proxy, separated by commas; also as no_proxy',
  },
  FONTCONFIG_FILE: {
    default: '',
    help: 'a fonts.conf that replaces the built-in one with the fonts of the package',
    decides: true,
    files: true,
  },
  XDG_CACHE_HOME: {
    default: '',
    help: 'folder of the font cache; ~/.cache by default, or a temporary folder if that is not writable',
  },
  TERM: { default: '', help: 'dumb: no colours and no progress' },
  NO_COLOR: { default: '', help: 'set to anything: no colours' },
  FORCE_COLOR: {
    default: '',
    help: 'set to 0 or false: no colours; to anything else: colours even if the output is not a terminal; NO_COLOR takes precedence',
  },
  FORCE_HYPERLINK: {
    default: '',
    help: 'set to 0 or false: no links on a terminal; to anything else: links even if the terminal does not announce them',
  },
  PORT: { default: 1349, help: 'the port that serve listens on', server: true },
  HOST: {
    default: '',
    help: 'the address that serve listens on; 127.0.0.1 when authentication is off, else 0.0.0.0',
    server: true,
  },
  BASE_PATH: {
    default: '',
    help: 'a path prefix for the whole API, such as /media; it is stripped before routing',
    server: true,
  },
  EXTERNAL_URL: { default: '', help: 'the public URL of the server; https makes cookies Secure', server: true },
  PASSKEYS_RP_ID: {
    default: '',
    help: 'the domain that passkeys are bound to: the host of EXTERNAL_URL (default) or a parent domain of it',
    server: true,
  },
  TRUST_PROXY: {
    default: 'false',
    help: 'true, a number of hops, or addresses of proxies whose forwarding headers are trusted',
    server: true,
  },
  CORS_ORIGIN: {
    default: '',
    help: 'origins of web pages that may call the API, separated by commas; *: any, without cookies',
    server: true,
  },
  LOG_LEVEL: { default: 'info', help: 'fatal, error, warn, info, debug or trace', server: true },
  LOG_DIR: { default: '', help: 'folder of the log file; <data>/logs by default', server: true },
  DATA_DIR: { default: './data', help: 'folder for accounts, library, jobs and secrets', server: true },
  DATABASE_URL: {
    default: '',
    help: 'a PostgreSQL database for accounts, settings, records of jobs, the index of the library and the audit log; files of DATA_DIR by default',
    server: true,
    secret: true,
  },
  DATABASE_CONNECTIONS: { default: 10, help: 'maximum number of connections to that database', server: true },
  REDIS_URL: {
    default: '',
    help: 'a Redis or Valkey server for events and rate limits of several servers; needs DATABASE_URL, and SHARED_DIR or S3_BUCKET',
    server: true,
    secret: true,
  },
  SHARED_DIR: {
    default: '',
    help: 'a folder that all servers have mounted, for uploads, results, previews and the library; needs REDIS_URL',
    server: true,
  },
  S3_BUCKET: {
    default: '',
    help: 'a bucket of S3-compatible object storage, instead of SHARED_DIR; needs REDIS_URL',
    server: true,
  },
  S3_REGION: { default: 'us-east-1', help: 'its region', server: true },
  S3_ENDPOINT: { default: '', help: 'the address of the object storage; Amazon S3 by default', server: true },
  S3_PREFIX: { default: '', help: 'the beginning of all keys, such as mediaproc/', server: true },
  S3_ACCESS_KEY_ID: {
    default: '',
    help: "the access key; by default the SDK's own sources, such as the role of the machine",
    server: true,
    secret: true,
  },
  S3_SECRET_ACCESS_KEY: { default: '', help: 'its secret', server: true, secret: true },
  S3_FORCE_PATH_STYLE: {
    default: '',
    help: 'true: the bucket is in the path of addresses, false: in the host name; by default true with S3_ENDPOINT',
    server: true,
  },
  S3_PRESIGN: {
    default: 'false',
    help: 'true: downloads are redirected to addresses of the object storage that are valid for a short time',
    server: true,
  },
  WORKSPACE_PATH: { default: '', help: 'folder of uploads and results; <data>/workspace by default', server: true },
  FILES_STORAGE_PATH: { default: '', help: 'folder of the file library; <data>/files by default', server: true },
  AUTH_ENABLED: {
    default: 'true',
    help: 'false: every endpoint is open to anyone who can reach the server',
    server: true,
  },
  DEFAULT_USERNAME: {
    default: 'admin',
    help: 'name of the first administrator, created on first start',
    server: true,
  },
  DEFAULT_PASSWORD: {
    default: '',
    help: 'password of the first administrator; by default a random one is generated and shown once',
    server: true,
    secret: true,
  },
  CONFIRM_WITHIN_MIN: {
    default: 10,
    help: 'minutes after sign-in in which factors, keys, addresses and passwords of others can be changed without the password; 0 = always',
    server: true,
  },
  SKIP_MUST_CHANGE_PASSWORD: {
    default: 'false',
    help: 'true: new users need not change their password (for CI only)',
    server: true,
  },
  SESSION_DURATION_HOURS: { default: 168, help: 'session lifetime from sign-in, in hours', server: true },
  LOGIN_ATTEMPT_LIMIT: { default: 10, help: 'sign-in attempts per minute and address', server: true },
  MAX_USERS: { default: 0, help: 'maximum number of user accounts; 0 = no limit', server: true },
  FILE_MAX_AGE_HOURS: {
    default: 72,
    help: 'how long results stay downloadable, in hours; 0 = without expiry',
    server: true,
  },
  CLEANUP_INTERVAL_MINUTES: { default: 60, help: 'how often expired results are removed, in minutes', server: true },
  JOBS_RETENTION_DAYS: {
    default: 30,
    help: 'how long the records of finished jobs are kept, in days; 0 = without expiry',
    server: true,
  },
  MAX_FINISHED_JOBS_PER_USER: {
    default: 10_000,
    help: 'maximum number of finished jobs kept per user; the oldest are removed first, with their results; 0 = no limit',
    server: true,
  },
  AUDIT_RETENTION_DAYS: {
    default: 0,
    help: 'how long the audit log is kept, in days; 0 = without expiry',
    server: true,
  },
  MAX_UPLOAD_SIZE_MB: {
    default: 100,
    help: 'maximum size of an uploaded file, in megabytes; 0 = no limit',
    server: true,
  },
  UPLOAD_MAX_AGE_HOURS: {
    default: 24,
    help: 'how long a resumable upload is kept after its last bytes, in hours; 0 = without expiry',
    server: true,
  },
  MAX_UPLOADS_PER_USER: {
    default: 500,
    help: 'maximum number of resumable uploads that one user has at a time; 0 = no limit',
    server: true,
  },
  MAX_BATCH_SIZE: { default: 0, help: 'maximum number of files in a batch; 0 = no limit', server: true },
  MAX_QUEUED_JOBS: {
    default: 1000,
    help: 'maximum number of queued jobs; a full queue rejects new ones',
    server: true,
  },
  MAX_JOB_MEMORY_MB: {
    default: 4096,
    help: "memory limit of a job's process, in megabytes; above it the process is killed",
    server: true,
  },
  SYNC_WAIT_MS: {
    default: 8000,
    help: 'how long a request waits for its result before the response is 202, in milliseconds',
    server: true,
  },
  JOB_TIMEOUT_FAST_S: { default: 120, help: 'time limit of tools that are not marked long, in seconds', server: true },
  JOB_TIMEOUT_LONG_S: { default: 7200, help: 'time limit of tools that are marked long, in seconds', server: true },
  JOB_STALL_S: {
    default: 900,
    help: 'a job without progress for this many seconds is stopped; 0 = no limit',
    server: true,
  },
  RATE_LIMIT_PER_MIN: { default: 300, help: 'requests per minute and address; 0 = no limit', server: true },
  MAX_STORAGE_PER_USER_MB: { default: 5000, help: 'library size per user, in megabytes; 0 = no limit', server: true },
  MAX_WORKSPACE_SIZE_GB: {
    default: 10,
    help: 'total size of uploads and results, in gigabytes; 0 = no limit',
    server: true,
  },
  LEAST_FREE_MB: {
    default: 500,
    help: 'new jobs are rejected if the workspace disk has less free space than this, in megabytes',
    server: true,
  },
  COOKIE_SECRET: {
    default: '',
    help: 'signs the state that browsers keep during single sign-on; generated on first start when unset',
    server: true,
    secret: true,
  },
  AUTH_SUCCESS_REDIRECT: { default: '/', help: 'redirect URL after single sign-on', server: true },
  AUTH_ERROR_REDIRECT: {
    default: '/login',
    help: 'redirect URL if single sign-on failed or needs a code',
    server: true,
  },
  MFA_REDIRECT_QUERY: {
    default: 'false',
    help: 'true: after single sign-on the mfaToken is in the query of the URL, not after #',
    server: true,
  },
  OIDC_ENABLED: { default: 'false', help: 'true: users sign in with an OpenID provider', server: true },
  OIDC_ISSUER_URL: { default: '', help: 'the issuer, as its discovery document has it', server: true },
  OIDC_CLIENT_ID: { default: '', help: 'the client id of this server at the provider', server: true },
  OIDC_CLIENT_SECRET: { default: '', help: 'the client secret', server: true, secret: true },
  OIDC_SCOPES: { default: 'openid profile email', help: 'requested scopes, separated by spaces', server: true },
  OIDC_AUTO_CREATE_USERS: { default: 'true', help: 'false: only users with an account can sign in', server: true },
  OIDC_AUTO_LINK_USERS: {
    default: 'false',
    help: 'true: link to an account with the same verified e-mail address',
    server: true,
  },
  OIDC_AUTO_LINK_ADMINS: { default: 'false', help: 'true: also link to accounts that manage users', server: true },
  OIDC_DEFAULT_ROLE: { default: 'user', help: 'role of new users; not admin', server: true },
  OIDC_ROLE_MAPPING: {
    default: '',
    help: 'roles by group, as a JSON object: {"media-admins": "admin"}; the first match applies, at each sign-in',
    server: true,
  },
  OIDC_GROUPS_CLAIM: { default: 'groups', help: 'the claim that names the groups', server: true },
  OIDC_PROVIDER_NAME: { default: '', help: 'display name of the provider', server: true },
  OIDC_CLOCK_TOLERANCE: { default: 30, help: 'allowed clock difference in seconds, at most 300', server: true },
  OIDC_USERNAME_CLAIM: { default: 'preferred_username', help: 'the claim for the names of new users', server: true },
  SAML_ENABLED: { default: 'false', help: 'true: users sign in with a SAML identity provider', server: true },
  SAML_IDP_SSO_URL: { default: '', help: 'the sign-on URL of the identity provider (HTTP-Redirect)', server: true },
  SAML_IDP_CERTIFICATE: {
    default: '',
    help: 'its signing certificates, PEM; several during a key rotation. SAML_IDP_CERTIFICATE_FILE names a file',
    server: true,
  },
  SAML_IDP_ENTITY_ID: {
    default: '',
    help: "the identity provider's entity ID, which responses must name; any that its certificates sign for when unset",
    server: true,
  },
  SAML_IDP_SLO_URL: {
    default: '',
    help: 'the single logout URL of the identity provider (HTTP-Redirect); sign-out also ends the session there. Needs SAML_PRIVATE_KEY',
    server: true,
  },
  SAML_IDP_METADATA_URL: {
    default: '',
    help: 'the metadata of the identity provider, in place of the URLs and certificates; fetched daily, and after a key rotation',
    server: true,
  },
  SAML_IDP_METADATA_FILE: {
    default: '',
    help: 'the same as a file, which is read again when it changes',
    server: true,
  },
  SAML_ENTITY_ID: {
    default: '',
    help: 'the entity id of this server; the URL of its metadata when unset',
    server: true,
  },
  SAML_CALLBACK_URL: {
    default: '',
    help: 'the URL for responses; <EXTERNAL_URL>/api/auth/saml/callback when unset',
    server: true,
  },
  SAML_PRIVATE_KEY: {
    default: '',
    help: 'our key, PEM: decrypts assertions and signs requests. SAML_PRIVATE_KEY_FILE names a file',
    server: true,
    secret: true,
  },
  SAML_CERTIFICATE: {
    default: '',
    help: 'the certificate of our key, PEM, for the metadata; SAML_CERTIFICATE_FILE as well',
    server: true,
  },
  SAML_SIGN_REQUESTS: { default: 'false', help: 'true: requests are signed', server: true },
  SAML_CLOCK_TOLERANCE: { default: 30, help: 'allowed clock difference in seconds, at most 300', server: true },
  SAML_AUTO_CREATE_USERS: { default: 'true', help: 'false: only users with an account can sign in', server: true },
  SAML_AUTO_LINK_USERS: {
    default: 'false',
    help: 'true: link to an account with the same e-mail address',
    server: true,
  },
  SAML_AUTO_LINK_ADMINS: { default: 'false', help: 'true: also link to accounts that manage users', server: true },
  SAML_DEFAULT_ROLE: { default: 'user', help: 'role of new users; not admin', server: true },
  SAML_ROLE_MAPPING: { default: '', help: 'roles by group, as OIDC_ROLE_MAPPING', server: true },
  SAML_GROUPS_ATTRIBUTE: { default: 'groups', help: 'the attribute that names the groups', server: true },
  SAML_PROVIDER_NAME: { default: '', help: 'display name of the provider', server: true },
  SAML_USERNAME_ATTRIBUTE: {
    default: '',
    help: 'the attribute for the names of new users; otherwise their address',
    server: true,
  },
  SAML_EMAIL_ATTRIBUTE: { default: 'email', help: 'the attribute with the e-mail address', server: true },
  LDAP_ENABLED: {
    default: 'false',
    help: 'true: users without a local password sign in with the directory',
    server: true,
  },
  LDAP_URL: {
    default: '',
    help: 'the directory, such as ldaps://ldap.example:636; ldap:// needs LDAP_START_TLS',
    server: true,
  },
  LDAP_START_TLS: { default: 'false', help: 'true: encrypt an ldap:// connection with StartTLS', server: true },
  LDAP_CA_CERTIFICATE: {
    default: '',
    help: "certificates of the directory's authority, PEM. LDAP_CA_CERTIFICATE_FILE names a file",
    server: true,
  },
  LDAP_BIND_DN: { default: '', help: 'the account that searches for users; anonymous when unset', server: true },
  LDAP_BIND_PASSWORD: { default: '', help: 'its password', server: true, secret: true },
  LDAP_USER_BASE: { default: '', help: 'where users are, such as ou=people,dc=example,dc=com', server: true },
  LDAP_USER_FILTER: {
    default: '(uid={username})',
    help: 'the filter for a user; Active Directory: (sAMAccountName={username})',
    server: true,
  },
  LDAP_ID_ATTRIBUTE: {
    default: 'entryUUID',
    help: 'the attribute that identifies a user without ever changing; Active Directory: objectGUID',
    server: true,
  },
  LDAP_USERNAME_ATTRIBUTE: { default: 'uid', help: 'the attribute for the names of new users', server: true },
  LDAP_EMAIL_ATTRIBUTE: { default: 'mail', help: 'the attribute with the e-mail address', server: true },
  LDAP_GROUPS_ATTRIBUTE: { default: 'memberOf', help: 'the attribute of a user that names the groups', server: true },
  LDAP_GROUP_BASE: { default: '', help: 'where groups are searched for; no search when unset', server: true },
  LDAP_GROUP_FILTER: {
    default: '(member={dn})',
    help: 'the filter for the groups of a user, with {dn} or {username}',
    server: true,
  },
  LDAP_AUTO_CREATE_USERS: { default: 'true', help: 'false: only users with an account can sign in', server: true },
  LDAP_AUTO_LINK_USERS: {
    default: 'false',
    help: 'true: link to an account with the same e-mail address',
    server: true,
  },
  LDAP_AUTO_LINK_ADMINS: { default: 'false', help: 'true: also link to accounts that manage users', server: true },
  LDAP_DEFAULT_ROLE: { default: 'user', help: 'role of new users; not admin', server: true },
  LDAP_ROLE_MAPPING: {
    default: '',
    help: 'roles by the common or distinguished name of a group, as OIDC_ROLE_MAPPING',
    server: true,
  },
  TRUSTED_HEADER_ENABLED: {
    default: 'false',
    help: 'true: a proxy at an address of TRUST_PROXY signs users in and names them in headers',
    server: true,
  },
  TRUSTED_HEADER_USER: { default: 'Remote-User', help: 'the header with the user name', server: true },
  TRUSTED_HEADER_EMAIL: { default: 'Remote-Email', help: 'the header with the e-mail address', server: true },
  TRUSTED_HEADER_GROUPS: {
    default: 'Remote-Groups',
    help: 'the header with the groups, separated by commas',
    server: true,
  },
  TRUSTED_HEADER_LOGOUT_URL: { default: '', help: 'where users sign out of the proxy', server: true },
  TRUSTED_HEADER_AUTO_CREATE_USERS: {
    default: 'true',
    help: 'false: only users who have signed in before can sign in',
    server: true,
  },
  TRUSTED_HEADER_DEFAULT_ROLE: { default: 'user', help: 'role of new users; not admin', server: true },
  TRUSTED_HEADER_ROLE_MAPPING: { default: '', help: 'roles by group, as OIDC_ROLE_MAPPING', server: true },
  MACHINE_TOKEN_RULES: {
    default: '',
    help: 'which tokens of which providers programs may exchange for keys of service accounts: a JSON list (docs/sign-in.md)',
    server: true,
  },
  MACHINE_TOKEN_LIFETIME_S: { default: 900, help: 'lifetime of these keys, in seconds, 60 to 3600', server: true },
  MFA_ISSUER: { default: 'mediaproc', help: 'the name of the server in authenticator apps', server: true },
  DATA_ENCRYPTION_KEY: {
    default: '',
    help: 'encrypts stored secrets, such as those of second factors: 64 hexadecimal digits',
    server: true,
    secret: true,
  },
  DATA_ENCRYPTION_KEY_PREVIOUS: {
    default: '',
    help: 'the previous key, for one start: its data is re-encrypted with DATA_ENCRYPTION_KEY, or decrypted if that is unset',
    server: true,
    secret: true,
  },
  MAX_LOGO_SIZE_KB: { default: 500, help: 'maximum size of a logo, in kilobytes', server: true },
  MEDIAPROC_FEATURES: {
    default: '*',
    help: 'features of this instance, separated by commas: mfa, saml_sso, sso_enforcement, scim, audit_export; *: all',
    server: true,
  },
  SHUTDOWN_TIMEOUT_S: {
    default: 30,
    help: 'how long running jobs and requests may take at shutdown, in seconds',
    server: true,
  },
  CONSOLE: { default: 'true', help: 'false: the server has no web console, only the API', server: true },
  DEFAULT_LOCALE: { default: 'en', help: 'reported to clients', server: true },
  DOWNLOAD_AUTH: {
    default: 'required',
    help: 'required, or capability: anyone who knows the URL of a result can download it',
    server: true,
  },
  MODEL_OFFLINE: {
    default: 'false',
    help: 'true: models are never downloaded, only imported from archives',
    server: true,
  },
  WEBHOOK_ALLOW_HTTP: {
    default: 'false',
    help: 'true: webhooks may be sent to http addresses, unencrypted, such as those of an internal network',
    server: true,
  },
  WEBHOOK_PRIVATE_HOSTS: {
    default: '',
    help: 'names and addresses in private networks that webhooks may be sent to, separated by commas; all others are refused',
    server: true,
  },
  MAX_WEBHOOKS_PER_USER: { default: 20, help: 'maximum number of webhooks of one user; 0 = no limit', server: true },
  URL_FETCH_ENABLED: { default: 'true', help: 'false: URLs are never downloaded for users', server: true },
  SOURCE_URL: {
    default: 'https://www.npmjs.com/package/mediaproc',
    help: 'URL of the source code of the running program (AGPL, section 13)',
    server: true,
  },
  METRICS_TOKEN: {
    default: '',
    help: 'a bearer token with access to the metrics, in addition to administrators',
    server: true,
    secret: true,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '',
    help: 'an OpenTelemetry collector that receives traces over HTTP, such as http://localhost:4318 (docs/serve.md)',
    server: true,
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    default: '',
    help: 'instead of OTEL_EXPORTER_OTLP_ENDPOINT: the complete URL, such as http://localhost:4318/v1/traces',
    server: true,
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: { default: 'http/protobuf', help: 'or http/json', server: true },
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: '',
    help: 'headers for the collector, such as api-key=…, separated by commas',
    server: true,
    secret: true,
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    default: 10_000,
    help: 'how long a request to the collector may take, in milliseconds',
    server: true,
  },
  OTEL_SERVICE_NAME: { default: '', help: 'the name of the server in traces; mediaproc when unset', server: true },
  OTEL_RESOURCE_ATTRIBUTES: {
    default: '',
    help: 'facts about the server for traces, such as deployment.environment.name=test, separated by commas',
    server: true,
  },
  OTEL_TRACES_SAMPLER: {
    default: 'parentbased_always_on',
    help: 'which requests are traced: always_on, always_off, traceidratio, or parentbased_ and one of them',
    server: true,
  },
  OTEL_TRACES_SAMPLER_ARG: { default: 1, help: 'the ratio of traceidratio, from 0 to 1', server: true },
  OTEL_SDK_DISABLED: { default: 'false', help: 'true: nothing is traced', server: true },
} as const satisfies Record<string, EnvironmentRow>

export type EnvironmentName = keyof typeof ENVIRONMENT
type NumberName = {
  [N in EnvironmentName]: (typeof ENVIRONMENT)[N]['default'] extends number ? N : never
}[EnvironmentName]

/** A number from the environment: zero or more. Anything else throws INVALID_CONFIG with the variable's name. */
export function environmentNumber(name: NumberName): number {
  const given = process.env[name]
  if (given === undefined || given.trim() === '') return ENVIRONMENT[name].default
  const value = Number(given)
  if (Number.isFinite(value) && value >= 0) return value
  throw new MediaprocError(
    'INVALID_CONFIG',
    `Expected a number of at least 0 for the environment variable ${name}, got ${given}`,
  )
}

/** Text from the environment, or '' when unset. */
export function environmentText(name: EnvironmentName): string {
  return process.env[name] ?? ''
}

/** A boolean variable: only the words true and false are accepted, so that a typo never disables anything. */
export function environmentFlag(name: EnvironmentName): boolean {
  const given = process.env[name]?.trim() || String(ENVIRONMENT[name].default)
  if (given === 'true' || given === 'false') return given === 'true'
  throw new MediaprocError(
    'INVALID_CONFIG',
    `Expected true or false for the environment variable ${name}, got ${given}`,
  )
}

/** A proxy variable, or '' when unset: programs accept these names in upper and lower case. */
export function environmentProxy(name: 'HTTPS_PROXY' | 'HTTP_PROXY' | 'NO_PROXY'): string {
  return process.env[name.toLowerCase()] || environmentText(name)
}

/** Text from the environment with its default; one of `words` if given. */
export function environmentWord<const Word extends string>(name: EnvironmentName, words?: readonly Word[]): Word {
  const given = process.env[name]?.trim() || String(ENVIRONMENT[name].default)
  if (!words || (words as readonly string[]).includes(given)) return given as Word
  throw new MediaprocError(
    'INVALID_CONFIG',
    `Expected ${words.join(', ')} for the environment variable ${name}, got ${given}`,
  )
}

/** A secret: `<NAME>`, or the first line of the file named by `<NAME>_FILE`; '' when neither is set. */
export function environmentSecret(name: EnvironmentName): string {
  const file = process.env[`${name}_FILE`]
  if (process.env[name] || !file) return process.env[name] ?? ''
  try {
    return firstOf(readFileSync(file, 'utf8').split(/\r?\n/, 1))
  } catch (error) {
    throw new MediaprocError('INVALID_CONFIG', `The file that ${name}_FILE names cannot be read`, { cause: error })
  }
}

/**
 * Text of several lines, such as a PEM key: `<NAME>`, with \\n for a line break, or the file named by `<NAME>_FILE`.
 */
export function environmentPem(name: EnvironmentName): string {
  const file = process.env[`${name}_FILE`]
  if (process.env[name] || !file) return (process.env[name] ?? '').replaceAll('\\n', '\n').trim()
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new MediaprocError('INVALID_CONFIG', `The file that ${name}_FILE names cannot be read`, { cause: error })
  }
}

/** Variables of other installations. Silently ignoring them would suggest that they are in effect. */
export const UNSUPPORTED = ['STORAGE_MODE'] as const

/** The first set variable that requires a feature this version does not have. */
export function unsupportedVariable(): string | undefined {
  return UNSUPPORTED.find((name) => {
    const given = process.env[name] ?? ''
    return given !== '' && given !== 'local'
  })
}

/**
 * Runs `read` with other values of the variables of `serve`, for the configuration of another server: those that are not
 * given are unset. `read` must not wait for anything.
 * @param given values by name, also as `<NAME>_FILE`; other names are ignored
 */
export function withServerVariables<R>(given: Readonly<Record<string, string>>, read: () => R): R {
  const names = Object.entries<EnvironmentRow>(ENVIRONMENT).flatMap(([name, { server }]) =>
    server ? [name, `${name}_FILE`] : [],
  )
  const before = names.map((name) => [name, process.env[name]] as const)
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  try {
    for (const name of names) set(name, given[name])
    return read()
  } finally {
    for (const [name, value] of before) set(name, value)
  }
}

/** Removes the variables that only a server reads: those of a server on this machine are not for a program of one user. */
export function dropServerVariables(): void {
  const own = Object.entries<EnvironmentRow>(ENVIRONMENT).filter(([, { server }]) => server)
  for (const name of [...own.map(([name]) => name), ...UNSUPPORTED])
    for (const variable of [name, `${name}_FILE`]) delete process.env[variable]
}
