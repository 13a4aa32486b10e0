namespace Opossum.Testing.Conformance;

/// <summary>What a store must be able to do before a rule can be checked.</summary>
internal enum RuleNeed
{
    Nothing,

    /// <summary>To be opened once more while it is open, as another process does.</summary>
    Another,

    /// <summary>To be closed and opened again.</summary>
    Reopening,

    /// <summary>To lose what is not durable.</summary>
    PowerCut,
}
