using Opossum.Projections;
using Opossum.Serialization;

namespace Opossum.Tests;

/// <summary>Reads states that are stored as they are.</summary>
internal sealed class StatesWithoutKeys : IStateSealer
{
    public int LookForChanges() => 0;

    public byte[] Seal(string projection, string key, FoundValues state, bool isPersonal) => state.Json;

    public OpenedJson Open(string projection, string key, byte[] json) => new(json);
}
