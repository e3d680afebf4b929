// The types of isobox/tpmjs. Checked by tsc; never run.

import http from 'node:http';

import {
  checkExecutor,
  createExecutor,
  type ComplianceReport,
  type TpmjsExecutor,
} from 'isobox/tpmjs';

async function use(): Promise<ComplianceReport> {
  await using executor: TpmjsExecutor = createExecutor({
    apiKey: 'secret',
    protocol: '1.1',
    executionTimeoutMs: 1000,
    allow: ['addons'],
    pool: { threads: 2 },
  });
  http.createServer(executor.handler).listen(3000);
  const response: Response = await executor.fetch(new Request('http://localhost/health'));
  // @ts-expect-error: there is no such version.
  createExecutor({ protocol: '2.0' });
  // @ts-expect-error: there is no such option.
  createExecutor({ colour: 'red' });
  const { core } = await checkExecutor(response.url, { apiKey: 'secret' });
  const level: 'PASS' | 'FAIL' = core;
  void level;
  return checkExecutor('http://localhost:3000', { protocol: '1.0' });
}

void use;
