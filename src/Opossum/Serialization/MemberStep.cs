namespace Opossum.Serialization;

/// <summary>A step of a <see cref="MemberPath"/>.</summary>
/// <param name="Name">The name of a member; null: each of them.</param>
/// <param name="IsInArray">Whether the step leads to the elements of an array, and not to members of an object.</param>
internal readonly record struct MemberStep(string? Name, bool IsInArray)
{
    public static MemberStep EachElement => new(Name: null, IsInArray: true);

    public static MemberStep EachMember => new(Name: null, IsInArray: false);

    public static MemberStep Member(string name) => new(name, IsInArray: false);
}
