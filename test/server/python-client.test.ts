/** Python classes generated from openapi.yaml: strictly type-checked in use, and run against the server. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { plain } from '../helpers/picture.ts'
import { pythonModels } from '../helpers/python-client.ts'
import { call, PASSWORD, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const run = promisify(execFile)

/** Debian's, which has its own Python; `python3` may be another one. */
function hasMypy(): boolean {
  try {
    execFileSync('mypy', ['--version'])
    return true
  } catch {
    return false
  }
}

/** Sign-in, the library, jobs and tools by the generated types, without a cast. */
const USE = `
import json
import sys
from typing import Dict, List, Optional
from urllib.request import Request, urlopen
from models import (DeleteFilesAnswer, DeleteFilesBody, GetFilesAnswer, GetFilesByIDAnswer, GetJobsAnswer, GetToolsAnswer,
                    Result, PostAuthLoginAnswer, PostAuthLoginBody, PostFilesUploadAnswer)

base, token, picture = sys.argv[1:4]


def ask(method: str, path: str, body: Optional[bytes] = None, kind: str = "application/json") -> object:
    headers = {"Authorization": f"Bearer {token}", **({"Content-Type": kind} if body is not None else {})}
    with urlopen(Request(base + path, body, headers, method=method)) as answer:
        parsed: object = json.load(answer)
        return parsed


def form(path: str, fields: Dict[str, str]) -> object:
    with open(picture, "rb") as file:
        content = file.read()
    head = "".join(f'--x\\r\\nContent-Disposition: form-data; name="{name}"\\r\\n\\r\\n{value}\\r\\n' for name, value in fields.items())
    part = '--x\\r\\nContent-Disposition: form-data; name="file"; filename="red.png"\\r\\n\\r\\n'
    return ask("POST", path, head.encode() + part.encode() + content + b"\\r\\n--x--\\r\\n", "multipart/form-data; boundary=x")


def sign_in(name: str, password: str) -> PostAuthLoginAnswer:
    body: Dict[str, str] = PostAuthLoginBody(password=password, username=name).to_dict()
    return PostAuthLoginAnswer.from_dict(ask("POST", "/api/auth/login", json.dumps(body).encode()))


uploaded = PostFilesUploadAnswer.from_dict(form("/api/v1/files/upload", {}))
names: List[str] = [file.original_name for file in uploaded.files]
versions: List[int] = [one.version for one in GetFilesByIDAnswer.from_dict(ask("GET", f"/api/v1/files/{uploaded.files[0].id}")).versions]
total: int = GetFilesAnswer.from_dict(ask("GET", "/api/v1/files")).total
result = Result.from_dict(form("/api/v1/tools/image/resize", {"settings": '{"width":20}'}))
address: Optional[str] = result.download_url
jobs = GetJobsAnswer.from_dict(ask("GET", "/api/v1/jobs?limit=5"))
percents: List[float] = [job.progress.percent for job in jobs.jobs]
failures: List[str] = [job.error.code for job in jobs.jobs if job.error]
tools: Dict[str, List[str]] = {tool.id: tool.accept for tool in GetToolsAnswer.from_dict(ask("GET", "/api/v1/tools")).tools}
doomed = DeleteFilesBody(ids=[file.id for file in uploaded.files]).to_dict()
deleted: int = DeleteFilesAnswer.from_dict(ask("DELETE", "/api/v1/files", json.dumps(doomed).encode())).deleted
user = sign_in("admin", sys.argv[4]).user
print(json.dumps([names, versions, total, address, percents, failures, tools["resize"], deleted, user.username if user else None]))
`

/** The same with wrong types, each of which must be reported: an untyped value would pass. */
const WRONG = `
from models import GetFilesAnswer, GetFilesByIDAnswer, GetJobsAnswer, GetToolsAnswer, PostAuthLoginAnswer, PostFilesUploadAnswer, Result


def wrong(login: PostAuthLoginAnswer, files: GetFilesAnswer, item: GetFilesByIDAnswer, jobs: GetJobsAnswer) -> None:
    token: bytes = login.token or ""
    total: str = files.total
    name: int = item.versions[0].original_name
    percent: str = jobs.jobs[0].progress.percent


def wrong_too(tools: GetToolsAnswer, uploaded: PostFilesUploadAnswer, result: Result) -> None:
    accept: int = tools.tools[0].accept[0]
    size: str = uploaded.files[0].size
    job: int = result.job_id
    result.no_such_field
`

// mypy reads thousands of generated lines: half a minute of processor time.
test.skipIf(!hasMypy())(
  'generated Python classes pass the type check in use, and work',
  async () => {
    const [server, folder] = [await serveHere(), mkdtempSync(join(temporaryFolder(), 'python-'))]
    const token = await signIn(server)
    const document = parse((await call(server, 'GET', '/api/v1/openapi.yaml')).bytes.toString())
    writeFileSync(join(folder, 'models.py'), await pythonModels(document))
    writeFileSync(join(folder, 'use.py'), USE)
    writeFileSync(join(folder, 'wrong.py'), WRONG)
    const picture = join(folder, 'red.png')
    await plain(40, 30, '#ff0000').png().toFile(picture)
    // The generated code declares which of its functions accept anything; its use is checked strictly.
    const strictly = ['--strict', '--follow-imports=silent', '--cache-dir', join(folder, 'cache')]
    const found = await run('mypy', [...strictly, 'use.py', 'wrong.py'], { cwd: folder }).catch(({ stdout }) => ({
      stdout,
    }))
    const errors = found.stdout.split('\n').filter((line: string) => line.includes('error:'))
    expect(errors.filter((line: string) => !line.startsWith('wrong.py:'))).toEqual([])
    expect(errors).toHaveLength(8)
    const { stdout } = await run('/usr/bin/python3', ['use.py', server.base, token, picture, PASSWORD], { cwd: folder })
    const [names, versions, total, address, percents, failures, accepted, deleted, user] = JSON.parse(stdout)
    expect([names, versions, total, percents, failures, deleted, user]).toEqual([
      ['red.png'],
      [1],
      1,
      [100],
      [],
      1,
      'admin',
    ])
    expect([address, accepted]).toEqual([expect.stringContaining('/red_resize.png'), ['image']])
  },
  240_000,
)
