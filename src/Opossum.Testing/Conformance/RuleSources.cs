namespace Opossum.Testing.Conformance;

/// <summary>Where the rules come from: sections of https://dcb.events/specification, and the pages of the documentation.</summary>
internal static class RuleSources
{
    public const string Writing = "DCB: Writing Events";
    public const string Reading = "DCB: Reading Events";
    public const string Queries = "DCB: Query";
    public const string Items = "DCB: Query Item";
    public const string Positions = "DCB: Sequence Position";
    public const string Sequenced = "DCB: Sequenced Event";
    public const string Data = "DCB: Event Data";
    public const string Tags = "DCB: Tags";
    public const string Condition = "DCB: Append Condition";
    public const string Store = "IEventStore";
    public const string Retries = "append-conditions.md";
    public const string Durability = "durability.md";
}
