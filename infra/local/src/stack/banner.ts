import type { StackInfo } from './stack-file.ts';

/** Returns the text that `npm start` prints once the stack is ready. */
export function readyBanner(
  info: Omit<StackInfo, 'processes'>,
  { dataDir, seconds }: { dataDir: string; seconds: number },
): string {
  const { adminUser = `nobody: npx trunklinectl --data-dir ${dataDir} create-admin <USERNAME>`, adminApiKey } = info;
  const rows = [
    ['URL', info.baseUrls.join('  ')],
    ['Admin', adminUser],
    ...(info.adminPassword === undefined
      ? []
      : [['Password', `${info.adminPassword}   (shown at the first start only)`]]),
    ...(adminApiKey === undefined ? [] : [['API key', adminApiKey]]),
    ['Metrics', info.metricsUrls.join('  ')],
    ['Data', dataDir],
    ...(adminApiKey === undefined
      ? []
      : [['Try', `npx service-api --apihost=${info.baseUrl} --apikey=${adminApiKey} get_repos`]]),
  ];
  const lines = rows.map(([label = '', value = '']) => `  ${label.padEnd(10)}${value}`);
  return ['', `Trunkline is ready after ${seconds.toFixed(1)} s`, '', ...lines, '', 'Ctrl-C stops.', ''].join('\n');
}
