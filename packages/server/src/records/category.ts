/** A category or category group, field for field as the wire has it. Times are ISO 8601 in UTC with milliseconds. */
export interface Category {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly is_income: boolean;
  readonly exclude_from_budget: boolean;
  readonly exclude_from_totals: boolean;
  readonly updated_at: string;
  readonly created_at: string;
  readonly group_id: number | null;
  readonly is_group: boolean;
  readonly archived: boolean;
  readonly archived_at: string | null;
  readonly order: number | null;
  readonly collapsed: boolean;
}
