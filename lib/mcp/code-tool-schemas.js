'use strict';
// What the tools of a code server take and give, for the SDK: in Zod, of the very copy that the SDK uses.

const DEFAULT_LIMIT = 20;

/** @param {typeof import('zod')} z */
function makeSchemas(z) {
  const code = z
    .string()
    .describe(
      'JavaScript or TypeScript. The last expression, or what it returns, is the result. Top-level await works.',
    );
  const search = {
    query: z
      .string()
      .max(1000)
      .optional()
      .describe('Words to look for in names, descriptions and parameters. Empty: all tools.'),
    limit: z
      .number()
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe(`How many tools to show, the best first. Default: ${DEFAULT_LIMIT}.`),
  };
  const names = z.record(z.string(), z.string()).optional();
  const schema = z.record(z.string(), z.unknown()).optional();
  const catalogue = z
    .object({
      total: z.number().int().describe('How many tools were found.'),
      tools: z.array(
        z
          .object({
            namespace: z.string(),
            safeName: z.string().describe('Call it as namespace.safeName(input).'),
            originalName: z.string(),
            description: z.string().optional(),
            inputSchema: schema,
            outputSchema: schema,
          })
          .passthrough(),
      ),
      types: z.string().describe('TypeScript declarations of these tools.'),
      namespace: z.string().optional().describe('Of all tools, where there is but one.'),
      originalToSafeName: names,
      safeToOriginalName: names,
    })
    .passthrough();
  const execution = {
    ok: z.boolean(),
    result: z.unknown().optional().describe('What the code came to, if it did not fail.'),
    error: z.object({ code: z.string(), message: z.string() }).passthrough().optional(),
    logs: z.array(z.string()).describe('What it wrote to the console.'),
    durationMs: z.number(),
  };
  return {
    search: { input: search, output: catalogue },
    execute: { input: { code }, output: z.object(execution).passthrough() },
    single: {
      // One of the first two is needed, but model providers refuse schemas that say so with `anyOf`.
      input: { code: code.optional(), ...search },
      output: z
        .object({ ...execution, catalogue })
        .partial()
        .passthrough(),
    },
  };
}

module.exports = { DEFAULT_LIMIT, makeSchemas };
