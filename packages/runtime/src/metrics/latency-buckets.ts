/** Upper bounds of the histograms of times, in seconds: of a look into memory up to the longest transfer. */
export const latencyBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600, 3600,
];
