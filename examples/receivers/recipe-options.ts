/** What every receiver takes: the app's API key, and your code for one event type. */
export interface RecipeOptions {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
}
