/** Of JSON Schema. */
type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'null';

/** The fields of an item and their types, which n8n's editor shows before the first run. */
export interface OutputFields {
	[name: string]: FieldType | OutputFields;
}

/** By the name of the file in which the build puts them for n8n: the version and, if any, resource and operation. */
export type OutputFieldsByFile = Record<string, OutputFields>;
