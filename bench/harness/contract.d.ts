// What a scenario offers and what the harness makes of it.

/** One way of doing a scenario's work, alive in a process of its own. */
export interface Subject {
  /** One block of measurements: samples in the scenario's unit, none when the case does not apply. */
  measure(caseName: string): number[] | Promise<number[]>;
}

export interface SubjectOptions {
  /** `--quick`: shorter blocks. */
  isQuick: boolean;
  /** When the process was spawned, in nanoseconds of the machine's monotonic clock. */
  spawnedAt: bigint;
}

export interface Scenario {
  title: string;
  unit: string;
  better: 'lower' | 'higher';
  /** The rows of tables: variants of the same work. */
  cases: readonly string[];
  /** Blocks per case and system. */
  rounds: { full: number; quick: number };
  /** `kept`: one process per system, for all blocks. `fresh`: a new one for every block. */
  process: 'kept' | 'fresh';
  /**
   * One function per rival, which loads it: scenarios are also read by the parent, which measures nothing and may be
   * another Node. A name may have a variant behind it: `isolated-vm (sync)`.
   */
  systems: Record<string, (options: SubjectOptions) => Subject | Promise<Subject>>;
}

/** What is known of one system in one case. */
export interface Measured {
  /** One in a hundred of the samples is at least this good; the others likewise. */
  p1: number;
  p25: number;
  p50: number;
  p75: number;
  p95: number;
  p99: number;
  /** Distance between the quartiles of the block medians, as a part of p50. */
  spread: number;
  /** Median over the rounds of this system's block median by isobox's. */
  ratio: number | null;
  samples: number;
}

/** By case, then by system. */
export type ScenarioResult = Record<string, Record<string, Measured>>;

export interface Results {
  node: string;
  cpu: string;
  cores: number;
  isQuick: boolean;
  /** The part of the processors' time that other virtual machines had while this one wanted it. */
  stolen: number;
  scenarios: Record<string, ScenarioResult>;
}
