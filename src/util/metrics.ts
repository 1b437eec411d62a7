/** One time series. Whoever counts keeps it and changes `value`: no look-up per event. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

/** All series of one name, as the text format of Prometheus groups them. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: ReadonlyMap<string, Sample>;
}

/**
 * Counters and gauges of one apiserver, to be printed by its `/metrics`. Bounded by the label values that are known when
 * the server is built (resources): none comes from a request.
 */
export class Metrics {
  readonly #families = new Map<string, MetricFamily & { samples: Map<string, Sample> }>();

  /** A series that only grows. The same name and labels give the same series; a new one starts at 0 and is printed so. */
  counter(name: string, help: string, labels: Readonly<Record<string, string>>): Sample {
    return this.#sample(name, 'counter', help, labels);
  }

  /** A series that goes up and down. */
  gauge(name: string, help: string, labels: Readonly<Record<string, string>>): Sample {
    return this.#sample(name, 'gauge', help, labels);
  }

  /** Everything counted, names in order of the alphabet as the real server prints them. */
  families(): MetricFamily[] {
    return [...this.#families.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #sample(name: string, type: MetricFamily['type'], help: string, labels: Readonly<Record<string, string>>): Sample {
    let family = this.#families.get(name);
    if (!family) {
      family = { name, type, help, samples: new Map() };
      this.#families.set(name, family);
    }
    const id = JSON.stringify(labels);
    let sample = family.samples.get(id);
    if (!sample) {
      sample = { labels, value: 0 };
      family.samples.set(id, sample);
    }
    return sample;
  }
}
