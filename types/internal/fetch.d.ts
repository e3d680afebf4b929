/** A name of fetch that the MCP SDK's declarations use and Node's do not have. Not part of the public API. */

type HeadersInit = NonNullable<RequestInit['headers']>;
