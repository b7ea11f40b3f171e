import { load } from './load.ts';

/** A client of MCP servers, as far as tests use it. */
export interface McpClient {
  connect(transport: unknown): Promise<void>;
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<ToolResult>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  close(): Promise<void>;
}

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

interface Sdk {
  readonly Client: new (names: { name: string; version: string }) => McpClient;
}
interface InMemory {
  readonly InMemoryTransport: { createLinkedPair(): readonly [near: unknown, far: unknown] };
}
interface Stdio {
  readonly StdioClientTransport: new (program: Program) => unknown;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stderr?: 'ignore';
}

async function newClient(): Promise<McpClient> {
  const { Client } = await load<Sdk>('@modelcontextprotocol/sdk/client/index.js');
  return new Client({ name: 'test', version: '1.0.0' });
}

/** Returns a client that is connected to a server of this process. */
export async function connectTo(server: Pick<McpClient, 'connect'>): Promise<McpClient> {
  const { InMemoryTransport } = await load<InMemory>('@modelcontextprotocol/sdk/inMemory.js');
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = await newClient();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

/** Starts a program and returns a client that is connected to it. */
export async function connectToProgram(program: Program): Promise<McpClient> {
  const stdio = await load<Stdio>('@modelcontextprotocol/sdk/client/stdio.js');
  const client = await newClient();
  await client.connect(new stdio.StdioClientTransport(program));
  return client;
}

export function textOf({ content }: ToolResult): string {
  return content.map(({ text }) => text).join('\n');
}
